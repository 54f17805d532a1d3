"""Why one contender takes more CPU time than another: sentences and tables of a profile."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import attrgetter

from race.console import Console
from race.report import format as words
from race.report import markdown as marked
from race.report.console import drawn, say
from race.report.table import NUMBER, PLAIN, TEXT, Column, ReportTable, fill
from race.why.differences import Explanation, Mean, Row

SHOWN = 15
SHARE = 0.5
"""What a difference must be of the largest to be named in the first sentence."""


def headline(found: Explanation, unit: str) -> str:
    """Return the difference, and where most of it is, in one sentence."""
    first, second = found.profile.labels
    more = "more" if found.total.value >= 0 else "less"
    text = (
        f"{second} takes {words.number(abs(found.total.value))} us {more} CPU time for "
        f"{words.a(unit)} of {found.profile.task} than {first} ({words.number(found.second)} and "
        f"{words.number(found.first)} us)."
    )
    rows = [row for row in found.rows[:1] if not covers_zero(row.difference)]
    named = [f"{row.name} ({shown(row.difference)} us)" for row in rows]
    what = "function" if found.functions else "thread"
    return f"{text} The {what} that differs most: {named[0]}." if named else text


def covers_zero(mean: Mean) -> bool:
    """Return whether an interval leaves open which side of 0 the mean is on."""
    return mean.low <= 0 <= mean.high


def shown(mean: Mean) -> str:
    """Return a difference with its interval: "+12.3 [+9.1, +15.0]"."""
    value = _signed(mean.value)
    if not math.isfinite(mean.low):
        return value
    return f"{value} [{_signed(mean.low)}, {_signed(mean.high)}]"


def _signed(us: float) -> str:
    return f"{us:+.{0 if abs(us) >= 100 else 1}f}"


def table(found: Explanation, most: int = SHOWN) -> ReportTable:
    """Return the largest differences."""
    first, second = found.profile.labels
    columns = (
        Column("function" if found.functions else "thread", attrgetter("name"), TEXT),
        Column(f"{first}, us", attrgetter("first"), NUMBER),
        Column(f"{second}, us", attrgetter("second"), NUMBER),
        Column("difference [95 %]", _difference, PLAIN),
    )
    return fill("Differences", columns, found.rows[:most])


def _difference(row: Row) -> str:
    return shown(row.difference)


def about(found: Explanation, unit: str) -> str:
    """Return how this was found, and what it cannot say."""
    return " ".join(_about(found, unit))


def _about(found: Explanation, unit: str) -> Iterator[str]:
    yield f"CPU microseconds for {words.a(unit)}, in {words.plural(found.rounds, 'cell')} of each."
    if not found.functions:
        yield "By thread, since functions cannot be seen: " + (
            found.profile.no_functions or "the profiler saw no thread that ran"
        )
        yield "(it looks into CPython alone). By system call: cannot say."
        return
    yield (
        f"py-spy looked {found.profile.hertz:g} times a second and stopped the process for each "
        f"look: {found.samples:,} samples of threads that ran, {found.errors:,} more failed."
    )
    if found.late:
        yield f"In {words.plural(found.late, 'cell')} it could not keep up."
    yield (
        "A function's time is its own, with what it calls in C and without what it calls in "
        "Python. Each interval is of one function by itself: of 100 that are alike, 5 exclude 0."
    )


def markdown(found: Explanation, unit: str) -> str:
    """Return the answer as Markdown."""
    parts = [f"**{marked.escape(headline(found, unit))}**", marked.table(table(found))]
    return "\n\n".join([*parts, marked.escape(about(found, unit))]) + "\n"


def show(found: Explanation, unit: str) -> None:
    """Print it to the terminal."""
    console = Console()
    say(console, headline(found, unit), style="bold")
    console.print(drawn(table(found), ""))
    say(console, about(found, unit))
