"""Numbers and names as people read them, the same in every report."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from race.analysis.model import Comparison, ContenderResult, Spread
from race.analysis.user_loads import ALL, UserLoadResult
from race.analysis.values import a, load_text, one
from race.saved.model import Environment

__all__ = [
    "NONE",
    "a",
    "commit",
    "counted",
    "figure",
    "full",
    "in_words",
    "load_text",
    "margin",
    "megabytes",
    "milliseconds",
    "moment",
    "most",
    "number",
    "one",
    "peak",
    "percent",
    "plural",
    "rank",
    "rate",
    "ratio",
    "seconds",
    "signed",
    "spread",
]

NONE = "–"


def number(value: float | None) -> str:
    """Three significant digits or whole numbers, with thousands separators.

    What rounds up to the next digit has one decimal less: 9.996 is 10.0, 99.96 is 100.
    """
    if value is None:
        return NONE
    if value >= 99.95:
        return f"{value:,.0f}"
    decimals = 1 if value >= 9.995 else 2
    return f"{value:.{decimals}f}"


def milliseconds(us: float | None) -> str:
    return NONE if us is None else f"{number(us / 1000)} ms"


def spread(found: Spread | None, shown: Callable[[float | None], str]) -> str:
    """The median with the least and the largest: "485 ms [320, 1,700]"."""
    if found is None:
        return NONE
    low, high = (shown(end).partition(" ")[0] for end in (found.low, found.high))
    return f"{shown(found.median)} [{low}, {high}]"


def percent(fraction: float | None) -> str:
    return NONE if fraction is None else f"{100 * fraction:.1f} %"


def megabytes(size: float | None) -> str:
    return NONE if size is None else f"{size / 1e6:,.0f} MB"


def figure(value: float | None, unit: str) -> str:
    """A figure of a meter; a unit that is not known stands behind the number."""
    if value is None:
        return NONE
    known = {
        "ns": lambda: milliseconds(value / 1e3),
        "bytes": lambda: megabytes(value),
        "fraction": lambda: percent(value),
        "count": lambda: f"{value:,.4g}" if value < 1000 else f"{value:,.0f}",
    }
    return known[unit]() if unit in known else f"{number(value)} {unit}".strip()


def margin(comparison: Comparison) -> str:
    """The margin of a comparison; without a bound there is none."""
    return f"{comparison.margin_percent:.1f} %" if math.isfinite(comparison.margin) else "unknown"


def rank(comparison: Comparison, result: ContenderResult) -> str:
    """From the best possible rank to the worst; none when the rounds could decide none."""
    if result.ranks is None or not comparison.decided:
        return NONE
    best, worst = result.ranks
    return f"{best}" if best == worst else f"{best}–{worst}"


def rate(result: ContenderResult) -> str:
    """Units/s; a lower bound is marked."""
    if result.throughput is None:
        return NONE
    bound = "≥ " if result.state == "at-least" else ""
    return f"{bound}{number(result.throughput.median)}"


def ratio(comparison: Comparison, result: ContenderResult) -> str:
    """The ratio to the reference with its interval; of CPU time where the rate is a lower bound."""
    if result.label == comparison.reference:
        return "1 (reference)"
    if result.ratio is None and comparison.closed and result.cpu_ratio:
        return f"CPU {result.cpu_ratio}"
    return str(result.ratio) if result.ratio else NONE


def full(comparison: Comparison, result: ContenderResult) -> str:
    """Who was full, and how busy the party under test: "server 98 %", "nobody, server 81 %"."""
    if result.throughput is None:
        return NONE
    own = "" if result.busy is None else f"{comparison.party} {100 * result.busy:.0f} %"
    if result.saturated == comparison.party:
        return own or comparison.party
    return ", ".join(filter(None, (result.saturated or "unknown", own)))


def counted(result: ContenderResult) -> str:
    """How many cells count of those that ran: "18", "17 of 18"."""
    lost = result.cells < result.ran
    return f"{result.cells} of {result.ran}" if lost else f"{result.cells}"


def seconds(side: UserLoadResult) -> str:
    """What all units of a cell took at its rate: medians of both."""
    found = side.item.throughput
    return number(side.by_name[ALL].count.median / found.median if found else None)


def most(side: UserLoadResult, timeline: str) -> str:
    """Of a timeline, at any moment of any cell."""
    found = (point.high for point in side.timelines.get(timeline, []))
    return figure(max(found, default=None), "count")


def peak(comparison: Comparison, result: ContenderResult) -> str:
    """The most memory that the party under test had at a time, as the median of cells."""
    return megabytes(result.meters.get("peak_bytes", {}).get(comparison.party))


def signed(fraction: float) -> str:
    """A fraction in percent that may be below zero."""
    return f"{100 * fraction:+.1f} %".replace("-", "−")


def moment(text: str) -> str:
    """An ISO time for people: 20 November 2026, 20:45 UTC; as it stands when it is none."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{when.day} {when:%B %Y, %H:%M} {when.tzname() or ''}".strip()


def commit(environment: Environment) -> str:
    """The commit in short; one from which files differed says so."""
    text = (environment.commit or NONE)[:12]
    return f"{text} with changes that are in no commit" if environment.dirty else text


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_words(count: int) -> str:
    """A small number as it is spoken."""
    small = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return small[count] if count < len(small) else f"{count:,}"
