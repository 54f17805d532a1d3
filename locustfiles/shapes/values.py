"""Reads fields as people type them: users, times, shares. Each mistake is one line."""

from __future__ import annotations

import math
import re

MOST_USERS = 100_000
MOST_SECONDS = 7 * 86_400
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}

_SPAN = re.compile(r"(?:\d{1,9}[hms])+|\d{1,9}")
_WHOLE = re.compile(r"[0-9]{1,9}")
_PART = re.compile(r"(\d+)([hms]?)")


class WrongField(ValueError):
    """A field has a wrong value; the text begins with the field's name."""


def read_users(name: str, text: str, least: int = 1) -> int:
    """Return a number of users."""
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= MOST_USERS:
        raise WrongField(f"{name}: {text!r} is no number of users: {least} to {MOST_USERS}")
    return int(text)


def read_users_or_none(name: str, text: str) -> int:
    """Return a number of users, 0 among them."""
    return read_users(name, text, 0)


def read_seconds(name: str, text: str) -> int:
    """Return the seconds of a time: `90`, `90s`, `10m`, `1h30m`."""
    parts = _PART.findall(text) if _SPAN.fullmatch(text) else []
    found = sum(int(number) * UNITS[unit] for number, unit in parts)
    if not 0 < found <= MOST_SECONDS:
        raise WrongField(f"{name}: {text!r} is no time: as in 90, 90s, 10m or 1h30m, up to 7 days")
    return found


def read_rate(name: str, text: str) -> float:
    """Return a finite number above zero."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise WrongField(f"{name}: {text!r} is no rate: a number above 0")
    return number


def read_milliseconds(name: str, text: str) -> float:
    """Return the milliseconds of `500ms`, `1.5s` or a bare number."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s)?", text)
    number = float(match[1]) * (1000 if match[2] == "s" else 1) if match else 0
    if not number:
        raise WrongField(f"{name}: {text!r} is no time: as in 500ms or 1.5s")
    return number


def read_share(name: str, text: str) -> float:
    """Return a share, 0 to 1, of `1%` or `0.01`."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*(%)?", text)
    number = float(match[1]) / (100 if match[2] else 1) if match else math.inf
    if number > 1:
        raise WrongField(f"{name}: {text!r} is no share: as in 1% or 0.01")
    return number
