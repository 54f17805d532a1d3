"""Whether a page's body is what it should be; standard library only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from locustfiles.pages.ballot import read_ballot

CHOICES = 2
TOP = 9
REPORTS = (
    "Today",
    "The newest votes",
    "Loved and loathed",
    "Packs on the move",
    "Who votes, and when",
)
COUNTED = "Your vote has been counted"


def headed(heading: str) -> Callable[[str], str | None]:
    """A page with that heading."""
    wanted = f"<h1>{heading}</h1>"

    def look(body: str) -> str | None:
        return None if wanted in body else f"no heading {heading!r}"

    return look


def report(number: int) -> Callable[[str], str | None]:
    """The report of that number, which says among the others that it is the one."""
    titled = headed(REPORTS[number - 1])
    link = f'<a href="/reports/{number}" aria-current="page">'

    def look(body: str) -> str | None:
        return titled(body) or (None if link in body else f"not marked as report {number}")

    return look


def top(heading: str) -> Callable[[str], str | None]:
    """Nine stickers under that heading."""
    titled = headed(heading)

    def look(body: str) -> str | None:
        found = body.count('<li><img src="/pictures/')
        return titled(body) or (None if found == TOP else f"not {TOP} stickers")

    return look


def ballot(body: str) -> str | None:
    """Two stickers to choose between, with the tokens of both in the form of each."""
    return None if len(read_ballot(body)) == CHOICES else "no ballot"


def counted(body: str) -> str | None:
    """The page after a vote: it says so, and is the next ballot."""
    return ballot(body) if COUNTED in body else "the vote was not counted"


def members(key: str) -> Callable[[Any], str | None]:
    """JSON with a list of that name, and in it objects with an id."""

    def look(found: Any) -> str | None:
        listed = found.get(key) if isinstance(found, dict) else None
        if not isinstance(listed, list) or not listed:
            return f"no {key}"
        return None if all("id" in one for one in listed) else f"{key} without an id"

    return look


def numbered(number: int) -> Callable[[Any], str | None]:
    """JSON of the thing with that id."""

    def look(found: Any) -> str | None:
        same = isinstance(found, dict) and found.get("id") == number
        return None if same else "the wrong one"

    return look
