"""Texts of numbers and names, the same in every report."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime

from race.analysis.model import Comparison, ContenderResult, Spread
from race.analysis.user_loads import ALL, UserLoadResult
from race.analysis.values import a, load_text, one
from race.saved.head import Environment
from race.stats.estimate import Estimate
from race.stats.verdict import Verdict

__all__ = ["a", "load_text", "one"]

NONE = "–"


def number(value: float | None) -> str:
    """Return three significant digits or a whole number, with thousands separators.

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
    """Return the median with the least and the largest: "485 ms [320, 1,700]"."""
    if found is None:
        return NONE
    low, high = (shown(end).partition(" ")[0] for end in (found.low, found.high))
    return f"{shown(found.median)} [{low}, {high}]"


def percent(fraction: float | None) -> str:
    return NONE if fraction is None else f"{100 * fraction:.1f} %"


def megabytes(size: float | None) -> str:
    return NONE if size is None else f"{size / 1e6:,.0f} MB"


def figure(value: float | None, unit: str) -> str:
    """Return a figure of a meter; a unit that is not known stands behind the number."""
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
    """Return the margin of a comparison; it is unknown without a bound."""
    return f"{comparison.margin_percent:.1f} %" if math.isfinite(comparison.margin) else "unknown"


AT_LEAST = "faster, at least"
LESS_CPU, MORE_CPU = "less CPU", "more CPU"
"""The verdict on a lower bound that beats another's rate."""


def verdict(ratio: Estimate | None, found: Verdict | None, of_cpu: bool = False) -> str:
    """Return a verdict on the first of two in a few words: "faster", "undecided".

    `of_cpu`: the ratio is of CPU time, so more of it is worse.
    """
    if ratio is None or found is None:
        return NONE
    larger, smaller = (MORE_CPU, LESS_CPU) if of_cpu else ("faster", "slower")
    which = larger if ratio.value > 0 else smaller
    if found is Verdict.DIFFERENT:
        return which
    if found is Verdict.EQUAL or ratio.low <= 0 <= ratio.high:
        return str(found)
    return f"{found}, probably {which}"


def rank(comparison: Comparison, result: ContenderResult) -> str:
    """Return the best possible rank and the worst, or a dash where nothing was decided."""
    if result.ranks is None or not comparison.decided:
        return NONE
    best, worst = result.ranks
    return f"{best}" if best == worst else f"{best}–{worst}"


def rate(result: ContenderResult) -> str:
    """Return units/s; a lower bound is marked."""
    if result.throughput is None:
        return NONE
    bound = "≥ " if result.state == "at-least" else ""
    return f"{bound}{number(result.throughput.median)}"


def counted(result: ContenderResult) -> str:
    """Return how many cells count of those that ran: "18", "17 of 18"."""
    lost = result.cells < result.ran
    return f"{result.cells} of {result.ran}" if lost else f"{result.cells}"


def seconds(side: UserLoadResult) -> float | None:
    """Return what all units of a cell took at its rate: medians of both."""
    found = side.item.throughput
    return side.by_name[ALL].count.median / found.median if found else None


def most(side: UserLoadResult, figure: str) -> float | None:
    """Return the most of a figure at any moment of any cell."""
    return max((point.high for point in side.timelines.get(figure, [])), default=None)


def signed(fraction: float) -> str:
    """Return a fraction in percent that may be below zero."""
    return f"{100 * fraction:+.1f} %".replace("-", "−")


def moment(text: str) -> str:
    """Return an ISO time as "20 November 2026, 20:45 UTC"; another text as it stands."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{when.day} {when:%B %Y, %H:%M} {when.tzname() or ''}".strip()


def commit(environment: Environment) -> str:
    """Return the commit in short, with a remark where files differed from it."""
    text = (environment.commit or NONE)[:12]
    return f"{text} with changes that are in no commit" if environment.dirty else text


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_words(count: int) -> str:
    """Return a small number as a word."""
    small = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return small[count] if count < len(small) else f"{count:,}"


def short(rate: float) -> str:
    """Return three digits and a unit: 941, 12.3k, 1.21M."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if rate >= 0.9995 * limit:
            return f"{rate / limit:.3g}{unit}"
    return f"{rate:.0f}"


def listed(names: Sequence[str]) -> str:
    """Return names within a sentence; those of many drivers have commas in them."""
    *most, last = names
    between = "; " if any("," in name for name in names) else ", "
    return f"{between.join(most)} and {last}" if most else last
