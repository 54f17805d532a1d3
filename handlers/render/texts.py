"""Numbers and times as the reports show them, the same in every locale."""

from __future__ import annotations

from datetime import datetime, timezone

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
WEEKDAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


def ratio(dividend: int, divisor: int) -> str:
    """Return a quotient with one decimal, rounded down, or a dash for a divisor of 0."""
    if not divisor:
        return "-"
    tenths = 10 * dividend // divisor
    return f"{tenths // 10:,}.{tenths % 10}"


def percent(part: int, whole: int) -> str:
    """Return a share in percent, rounded down, or a dash for a whole of 0."""
    return f"{100 * part // whole} %" if whole else "-"


def span(width: int, number: int, lowest: int, highest: int) -> str:
    """Return the values of a bin; the outermost bins include everything beyond them."""
    first, last = number * width, (number + 1) * width - 1
    if number == lowest and lowest < 0:
        return f"{last} or less"
    return f"{first} or more" if number == highest else f"{first} to {last}"


def count(number: int, one: str) -> str:
    """Return "1 vote" or "2 votes" for 1 or 2 and "vote"."""
    return f"{number:,} {plural(number, one)}"


def plural(number: int, one: str) -> str:
    """Return "vote" for 1 and "votes" for any other number."""
    return one if number == 1 else one + "s"


def days(number: int, most: int) -> str:
    """Return a number of days in words, where ``most`` includes everything beyond it."""
    if number == 1:
        return "one day"
    return f"{number} days or more" if number == most else f"{number} days"


def iso(moment: int) -> str:
    """Return 2026-05-01T12:00:00Z."""
    return f"{_date(moment):%Y-%m-%dT%H:%M:%SZ}"


def day(moment: int) -> str:
    """Return 1 May."""
    date = _date(moment)
    return f"{date.day} {MONTHS[date.month - 1]}"


def time(moment: int) -> str:
    """Return 1 May 12:00:00."""
    return f"{day(moment)} {_date(moment):%H:%M:%S}"


def _date(moment: int) -> datetime:
    return datetime.fromtimestamp(moment, timezone.utc)
