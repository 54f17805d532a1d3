"""Checks of a page's body; each returns what is wrong, or None. Standard library only."""

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


def has_heading(heading: str) -> Callable[[str], str | None]:
    """Return the check of a page with that heading."""
    wanted = f"<h1>{heading}</h1>"

    def check(body: str) -> str | None:
        return None if wanted in body else f"no heading {heading!r}"

    return check


def report(number: int) -> Callable[[str], str | None]:
    """Return the check of a report: its heading, and the mark of its own link among the others."""
    heading = has_heading(REPORTS[number - 1])
    link = f'<a href="/reports/{number}" aria-current="page">'

    def check(body: str) -> str | None:
        return heading(body) or (None if link in body else f"not marked as report {number}")

    return check


def top(heading: str) -> Callable[[str], str | None]:
    """Return the check of nine stickers under that heading."""
    headed = has_heading(heading)

    def check(body: str) -> str | None:
        found = body.count('<li><img src="/pictures/')
        return headed(body) or (None if found == TOP else f"not {TOP} stickers")

    return check


def ballot(body: str) -> str | None:
    """Check two stickers to choose between, with the tokens of both in the form of each."""
    return None if len(read_ballot(body)) == CHOICES else "no ballot"


def counted(body: str) -> str | None:
    """Check the page after a vote: it says so, and is the next ballot."""
    return ballot(body) if COUNTED in body else "the vote was not counted"


def members(key: str) -> Callable[[Any], str | None]:
    """Return the check of JSON that has a list `key` of objects with an id."""

    def check(found: Any) -> str | None:
        listed = found.get(key) if isinstance(found, dict) else None
        if not isinstance(listed, list) or not listed:
            return f"no {key}"
        return None if all("id" in one for one in listed) else f"{key} without an id"

    return check


def numbered(number: int) -> Callable[[Any], str | None]:
    """Return the check of JSON about the thing with that id."""

    def check(found: Any) -> str | None:
        same = isinstance(found, dict) and found.get("id") == number
        return None if same else "the wrong one"

    return check
