"""The pages a race knows: their paths, what makes them right, and which may be pipelined."""

from __future__ import annotations

import http.client
import re
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from race.errors import CellFailed

TIMEOUT = 10.0
RETRY_SECONDS = 0.2
SESSION = re.compile(r"session=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Lax", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """A workload. `marker` must match the body; `queries` says that it asks the database.

    `generator` is set where only one load generator can drive it.
    """

    path: str
    content_type: str
    marker: str
    queries: bool
    cookie: bool = False
    generator: str | None = None


_HTML = "text/html"
PAGES = {
    "index": Page("/", _HTML, r'name="vote_plus" value="[0-9a-f]{32}"', True, cookie=True),
    "good": Page("/good", _HTML, r"(?s)(/pictures/.*){9}", True, cookie=True),
    "bad": Page("/bad", _HTML, r"(?s)(/pictures/.*){9}", True, cookie=True),
    "ugly": Page("/ugly", "text/plain", r"\AUGLY\Z", False),
    "about": Page("/about", _HTML, r"(?i)votes", False),
    "vote": Page("/", _HTML, r'name="vote_minus" value="[0-9a-f]{32}"', True, cookie=True),
    "limits-select-sync": Page("/select-sync", "text/plain", r"\Aok\Z", True),
    "limits-select-async": Page("/select-async", "text/plain", r"\Aok\Z", True),
    "limits-select-async-lite": Page("/select-async-lite", "text/plain", r"\Aok\Z", True),
    "limits-upsert-async": Page("/upsert-async", "text/plain", r"\Aok\Z", True),
    "limits-objects": Page("", "", "", False, generator="build"),
}


def verify_after(url: str, name: str) -> None:
    """`verify` for a server that may still be busy with what a load left behind (503)."""
    deadline = time.monotonic() + TIMEOUT
    while _is_busy(url, name, last=time.monotonic() > deadline):
        time.sleep(RETRY_SECONDS)


def _is_busy(url: str, name: str, last: bool) -> bool:
    try:
        verify(url, name)
    except CellFailed as failure:
        if last or "answered 503" not in str(failure):
            raise
        return True
    return False


def verify(url: str, name: str) -> None:
    """Ask for a page as a new visitor and check it; CellFailed says what is wrong with it."""
    page = PAGES[name]
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT)
    try:
        connection.request("GET", page.path, headers={"Host": parts.netloc})
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise CellFailed(f"{page.path} did not answer: {type(error).__name__} {error}") from None
    finally:
        connection.close()
    _judge(page, answer, body)


def _judge(page: Page, answer: http.client.HTTPResponse, body: str) -> None:
    if answer.status != 200:
        raise CellFailed(f"{page.path} answered {answer.status} {answer.reason}")
    kind = answer.getheader("Content-Type", "")
    if not kind.startswith(page.content_type):
        raise CellFailed(f"{page.path} is {kind or 'of no type'}, not {page.content_type}")
    if not re.search(page.marker, body):
        raise CellFailed(f"{page.path} does not contain what it must ({page.marker})")
    if page.cookie and not SESSION.search(answer.getheader("Set-Cookie", "")):
        raise CellFailed(f"{page.path} set no session cookie with HttpOnly and SameSite=Lax")
