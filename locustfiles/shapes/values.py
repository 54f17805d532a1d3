"""Reads fields as people type them: numbers, times, shares. Each mistake is one line."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

MOST_USERS = 100_000
MOST_SECONDS = 7 * 86_400
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}

_SPAN = re.compile(r"(?:\d{1,9}[hms])+|\d{1,9}")
_WHOLE = re.compile(r"[0-9]{1,9}")
_PART = re.compile(r"(\d+)([hms]?)")


class WrongField(ValueError):
    """A field has a wrong value; the text begins with the field's name."""


class Values:
    """The fields of a shape by name, as text."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def text(self, name: str) -> str:
        """Return a field without blanks around it."""
        return str(self._given[name]).strip()

    def users(self, name: str, least: int = 1) -> int:
        """Return a number of users."""
        return whole(name, self.text(name), least)

    def seconds(self, name: str) -> int:
        """Return the seconds of a time: `90`, `90s`, `10m`, `1h30m`."""
        return span(name, self.text(name))

    def positive(self, name: str, what: str) -> float:
        """Return a finite number above zero."""
        text = self.text(name)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            raise WrongField(f"{name}: {text!r} is no {what}: a number above 0")
        return number

    def milliseconds(self, name: str) -> float:
        """Return the milliseconds of `500ms`, `1.5s` or a bare number."""
        return milliseconds(name, self.text(name))

    def share(self, name: str) -> float:
        """Return `1%` or `0.01` as 0.01."""
        return share(name, self.text(name))


def whole(name: str, text: str, least: int) -> int:
    """Return the number of users in a text."""
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= MOST_USERS:
        raise WrongField(f"{name}: {text!r} is no number of users: {least} to {MOST_USERS}")
    return int(text)


def span(name: str, text: str) -> int:
    """Return the seconds of a time in a text."""
    parts = _PART.findall(text) if _SPAN.fullmatch(text) else []
    seconds = sum(int(number) * UNITS[unit] for number, unit in parts)
    if not 0 < seconds <= MOST_SECONDS:
        raise WrongField(f"{name}: {text!r} is no time: as in 90, 90s, 10m or 1h30m, up to 7 days")
    return seconds


def milliseconds(name: str, text: str) -> float:
    """Return the milliseconds of a limit in a text."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s)?", text)
    number = float(match[1]) * (1000 if match[2] == "s" else 1) if match else 0
    if not number:
        raise WrongField(f"{name}: {text!r} is no time: as in 500ms or 1.5s")
    return number


def share(name: str, text: str) -> float:
    """Return a share in a text, 0 to 1."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*(%)?", text)
    number = float(match[1]) / (100 if match[2] else 1) if match else math.inf
    if number > 1:
        raise WrongField(f"{name}: {text!r} is no share: as in 1% or 0.01")
    return number
