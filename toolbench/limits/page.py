"""The pages of the limits' server: one request to the database, and two bytes of answer."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

from race.errors import CellFailed

TIMEOUT = 10.0
RIGHT = b"ok"


def verify(url: str, task: str) -> None:
    """CellFailed when the operation's page does not answer as it must."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT)
    try:
        connection.request("GET", f"/{task}")
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise CellFailed(f"{task} did not answer: {type(error).__name__} {error}") from None
    finally:
        connection.close()
    if (answer.status, body) != (200, RIGHT):
        raise CellFailed(f"{task} answered {answer.status} {body[:20]!r} instead of {RIGHT!r}")
