"""Logs in on the pages under ``/manage`` of a server that a race started."""

from __future__ import annotations

import http.client
import re
import secrets
from urllib.parse import urlencode, urlsplit

from race.errors import CellFailed
from race.timeouts import TIMEOUTS

PATH = "/manage/login"
TOKEN = secrets.token_hex(16)
ENVIRONMENT = {"SITE_TOKEN": TOKEN}
"""What a server must be started with."""
_FORM = re.compile(r'name="form" value="([0-9a-f.]+)">\n<input type="hidden" name="next"')
_COOKIE = re.compile(r"manager=[0-9a-f.]+")


def log_in(url: str) -> str:
    """Return the cookie of a new log-in (`manager=...`). CellFailed if the server gives none."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUTS.page)
    try:
        connection.request("GET", PATH)
        form = _FORM.search(connection.getresponse().read().decode(errors="replace"))
        body = urlencode({"form": form[1] if form else "", "token": TOKEN})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", PATH, body, headers)
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise CellFailed(f"{PATH} did not answer: {type(error).__name__} {error}") from None
    finally:
        connection.close()
    cookie = _COOKIE.match(answer.getheader("Set-Cookie", ""))
    if cookie is None:
        raise CellFailed(f"{PATH} answered {answer.status} {answer.reason} instead of a log-in")
    return cookie[0]
