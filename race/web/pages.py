"""The pages of the site in a race: their paths, and checks of what they answer."""

from __future__ import annotations

import http.client
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import urlsplit

from race.discipline import Task
from race.errors import CellFailed
from race.timeouts import TIMEOUTS
from race.web.login import log_in

RETRY_SECONDS = 0.2
UNAVAILABLE = 503
# The order of the attributes differs between frameworks.
SESSION = re.compile(
    r"\Asession=[0-9a-f]{32}(?=.*; Path=/(;|\Z))(?=.*; HttpOnly(;|\Z))(?=.*; SameSite=Lax(;|\Z))",
    re.IGNORECASE,
)


class PageBusy(CellFailed):
    """The server still works on requests of the last load."""


@dataclass(frozen=True)
class PageTask(Task):
    """A page. `marker` must match its body, and `remedy` says what to do if it does not.

    A page that `queries` the database is never pipelined: it would kill japronto's worker (its
    issue 46), and no race could compare the other frameworks with it. One with a `login` is a
    manager's.
    """

    path: str = "/"
    content_type: str = "text/html"
    marker: str = ""
    remedy: str = ""
    queries: bool = False
    cookie: bool = False
    login: bool = False


DATA = ("backend", "connection")  # factors that change nothing without a database


def _asking(title: str, path: str, marker: str, text: str) -> PageTask:
    return PageTask(title, text=text, path=path, marker=marker, queries=True, cookie=True)


def _report(path: str, marker: str, text: str) -> PageTask:
    """Return a page of the reporting section, which notes no visit and has nothing to prepare."""
    return PageTask(
        f"Report {path[-1]}",
        ignores=("render",),
        text=text,
        path=path,
        marker=marker,
        remedy="are there votes? `make history` makes a month of them",
        queries=True,
    )


REPORTS = {
    "reports/1": _report(
        "/reports/1",
        "<h1>Today</h1>",
        "The day so far beside the day before: votes, voters, favourites. Light: five requests to "
        "the database, each about a day.",
    ),
    "reports/2": _report(
        "/reports/2",
        '<tr class="duel">',
        "The last twenty votes and how fast they come. Light: five requests to the database, each "
        "about a day at most.",
    ),
    "reports/3": _report(
        "/reports/3",
        '<tr class="mover">',
        "How ratings are distributed, and what moved in a month. Heavy: six requests to the "
        "database that sum all stickers or a month of votes.",
    ),
    "reports/4": _report(
        "/reports/4",
        '<tr class="pack">',
        "The packs that gained most in a month, with their trend. Heavy: seven requests to the "
        "database, most of which sum a month of votes.",
    ),
    "reports/5": _report(
        "/reports/5",
        '<rect class="heat5"',
        "Voters by hour, and by how often they come back. Heavy: seven requests to the database "
        "that sum a month of votes or a week of it.",
    ),
}
PAGES = {
    "index": _asking(
        "Index",
        "/",
        r'name="vote_plus" value="[0-9a-f]{32}"',
        "Two stickers to choose between: the new visitor's session and a token for each are "
        "written. Nine requests to the database, unless the backend answers it in one.",
    ),
    "good": _asking(
        "Good",
        "/good",
        r"(?s)(/pictures/.*){9}",
        "The nine best stickers: one request to the database reads them, two keep the session, "
        "unless the backend answers it in one.",
    ),
    "bad": _asking(
        "Bad",
        "/bad",
        r"(?s)(/pictures/.*){9}",
        "The nine worst, in the same way.",
    ),
    "ugly": PageTask(
        "Ugly",
        pipelines=True,
        ignores=(*DATA, "render"),
        text="Four letters: no database, no template. What the framework itself can do.",
        path="/ugly",
        content_type="text/plain",
        marker=r"\AUGLY\Z",
    ),
    "about": PageTask(
        "About",
        pipelines=True,
        ignores=DATA,
        text="A template with the site's counts, which the server refreshes every five seconds: "
        "the page itself asks no database.",
        path="/about",
        marker=r"(?i)votes",
    ),
    "vote": _asking(
        "Vote",
        "/",
        r'name="vote_minus" value="[0-9a-f]{32}"',
        "Visitors who come back: an Index, then a vote for one of its two stickers.",
    ),
    "sticker-edit": PageTask(
        "Sticker edit",
        ignores=("render",),
        text="A manager who is logged in: the form for the title of a sticker, then the form sent "
        "with another title. One request to the database for each; two for the second on MariaDB.",
        path="/manage/sticker/1/1/edit",
        marker=r'name="title" value="[^"]',
        queries=True,
        login=True,
    ),
    **REPORTS,
}


# Reversed, as Index comes before Vote and has the same path.
_BY_PATH = {page.path: name for name, page in reversed(PAGES.items())}


def named(text: str) -> str:
    """Return the name of a page that is given by its path ("/good"); other texts stay."""
    return _BY_PATH.get(text, text)


def verify(url: str, name: str, retry: bool = False) -> None:
    """Get a page as a new visitor and check it. CellFailed says what is wrong with it.

    With `retry`, a server that is still busy (503) is asked again until the timeout of a page.
    """
    deadline = time.monotonic() + (TIMEOUTS.page if retry else 0.0)
    while True:
        try:
            return _verify(url, PAGES[name])
        except PageBusy:
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)


def weigh(url: str, name: str) -> dict[str, int]:
    """Return what a page weighs for a new visitor, as it comes over the wire.

    `header_bytes` from the status line to the empty line, both with their ends; `headers`, their
    number; `body_bytes` as Content-Length says. CellFailed if the page does not come.
    """
    parts, path = urlsplit(url), PAGES[name].path
    headers = _headers(url, PAGES[name]).items()
    asked = "".join(f"{field}: {value}\r\n" for field, value in headers)
    request = f"GET {path} HTTP/1.1\r\n{asked}\r\n"
    where = (parts.hostname or "", parts.port or 80)
    try:
        with socket.create_connection(where, TIMEOUTS.page) as connection:
            connection.sendall(request.encode("ascii"))
            with connection.makefile("rb") as answer:
                status, *lines = _head(answer)
                length = _length(lines)
                body = answer.read(length)
    except (OSError, ValueError) as error:
        raise CellFailed(f"{path} cannot be weighed: {type(error).__name__} {error}") from None
    if len(body) < length:
        raise CellFailed(f"{path} ended after {len(body)} of {length} bytes")
    head = len(status) + sum(map(len, lines)) + len(b"\r\n")
    return {"body_bytes": length, "header_bytes": head, "headers": len(lines)}


def _head(answer: BinaryIO) -> list[bytes]:
    """Return the lines before the empty one."""
    lines = []
    while (line := answer.readline()) != b"\r\n":
        if not line.endswith(b"\n"):
            raise ValueError("it ended within its headers")
        lines.append(line)
    return lines


def _length(lines: Iterable[bytes]) -> int:
    for line in lines:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise ValueError("it does not say its length")


def _headers(url: str, page: PageTask) -> dict[str, str]:
    logged_in = {"Cookie": log_in(url)} if page.login else {}
    return {"Host": urlsplit(url).netloc, **logged_in}


def _verify(url: str, page: PageTask) -> None:
    parts, headers = urlsplit(url), _headers(url, page)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUTS.page)
    try:
        connection.request("GET", page.path, headers=headers)
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise CellFailed(f"{page.path} did not answer: {type(error).__name__} {error}") from None
    finally:
        connection.close()
    _judge(page, answer, body)


def _judge(page: PageTask, answer: http.client.HTTPResponse, body: str) -> None:
    if answer.status != 200:
        kind = PageBusy if answer.status == UNAVAILABLE else CellFailed
        raise kind(f"{page.path} answered {answer.status} {answer.reason}")
    kind_of = answer.getheader("Content-Type", "")
    if not kind_of.startswith(page.content_type):
        raise CellFailed(f"{page.path} is {kind_of or 'of no type'}, not {page.content_type}")
    if not re.search(page.marker, body):
        remedy = page.remedy and f"; {page.remedy}"
        raise CellFailed(f"{page.path} does not contain what it must ({page.marker}){remedy}")
    if page.cookie and not SESSION.search(answer.getheader("Set-Cookie", "")):
        raise CellFailed(f"{page.path} set no session cookie with HttpOnly and SameSite=Lax")
