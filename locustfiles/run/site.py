"""Finds out whether the site answers, and on which engine it runs. Standard library only."""

from __future__ import annotations

import http.client
import re
from html import unescape
from urllib.parse import urlsplit

from locustfiles.timeouts import TIMEOUTS

PATH, BODY = "/ugly", "UGLY"
ENGINE = re.compile(r"The engine <code>([^<]+)</code>")  # of About
MOST_BYTES = 100_000


def problem(host: str, path: str = "") -> str | None:
    """Return why no user can be sent to a host, in one line, or None if the site answers there.

    With a path, any application that answers will do.
    """
    if not host:
        return "say where the site is, as in --host http://127.0.0.1:1717"
    try:
        status, body = _get(host, path or PATH)
    except ValueError:
        return f"{host!r} is no address: as in http://127.0.0.1:1717"
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        if path:
            return f"no answer from {host}: {reason}; start the application first"
        return f"no site at {host}: {reason}; start it first, or use make locust, which does"
    if not path and (status, body) != (200, BODY):
        return f"{host} is not the site: {PATH} answered {status}; name paths of it by --path"
    return None


def engine(host: str) -> str:
    """Return the engine that About names, or "unknown" if it names none."""
    try:
        found = ENGINE.search(_get(host, "/about")[1])
    except (OSError, http.client.HTTPException, ValueError):
        found = None
    return unescape(found[1]) if found else "unknown"


def _get(host: str, path: str) -> tuple[int, str]:
    """Return the status and body of a page. Raises ValueError if `host` is no HTTP address."""
    parts = urlsplit(host)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(host)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=TIMEOUTS.site)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read(MOST_BYTES).decode(errors="replace")
    finally:
        connection.close()
