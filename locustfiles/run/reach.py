"""Whether the site is where the users are sent. Standard library only."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

# For the connection, and as much for the answer: with the start of Locust under five.
SECONDS = 1.5
PATH, BODY = "/ugly", b"UGLY"


def problem(host: str) -> str | None:
    """Why no user can be sent there, in one line; None where the site answers."""
    if not host:
        return "say where the site is, as in --host http://127.0.0.1:1717"
    try:
        parts = urlsplit(host)
        port = parts.port
    except ValueError:
        return f"{host!r} is no address: as in http://127.0.0.1:1717"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"{host!r} is no address: as in http://127.0.0.1:1717"
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    return _ask(kind(parts.hostname, port, timeout=SECONDS), host)


def _ask(connection: http.client.HTTPConnection, host: str) -> str | None:
    try:
        connection.request("GET", PATH)
        answer = connection.getresponse()
        body = answer.read(len(BODY) + 1)
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return f"no site at {host}: {reason}; start it first, or use make locust, which does"
    finally:
        connection.close()
    if (answer.status, body) != (200, BODY):
        return f"{host} is not the site: {PATH} answered {answer.status}"
    return None
