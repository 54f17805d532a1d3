"""Why one contender takes more CPU time than another: sentences and tables of a profile."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
    what = "function" if found.functions else "thread"
    ranked = ((what, found.rows, " us"), ("system call", found.calls, ""))
    named = [
        f" The {what} that differs most: {row.name} ({shown(row.difference)}{unit})."
        for what, rows, unit in ranked
        for row in rows[:1]
        if not covers_zero(row.difference)
    ]
    return text + "".join(named)


def covers_zero(mean: Mean) -> bool:
    """Return whether an interval leaves open which side of 0 the mean is on."""
    return mean.low <= 0 <= mean.high


def shown(mean: Mean) -> str:
    """Return a difference with its interval: "+12.3 [+9.1, +15.0]"."""
    value = _signed(mean.value)
    if not math.isfinite(mean.low):
        return value
    return f"{value} [{_signed(mean.low)}, {_signed(mean.high)}]"


def _signed(number: float) -> str:
    places = 0 if abs(number) >= 100 else 1 if abs(number) >= 10 else 2
    return f"{number:+.{places}f}"


def tables(found: Explanation, most: int = SHOWN) -> list[ReportTable]:
    """Return the largest differences: of functions, or of threads and system calls."""
    what = "function" if found.functions else "thread"
    calls = [_table("system call", "calls", found, found.calls[:most])] if found.calls else []
    return [_table(what, "us", found, found.rows[:most]), *calls]


def _table(what: str, unit: str, found: Explanation, rows: Sequence[Row]) -> ReportTable:
    first, second = found.profile.labels
    columns = (
        Column(what, attrgetter("name"), TEXT),
        Column(f"{first}, {unit}", attrgetter("first"), NUMBER),
        Column(f"{second}, {unit}", attrgetter("second"), NUMBER),
        Column("difference [95 %]", _difference, PLAIN),
    )
    return fill("Differences", columns, rows)


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
        yield "(it looks into CPython alone)."
        if found.calls:
            cells = words.plural(found.counted, "further cell")
            yield f"System calls for {words.a(unit)}: strace counted them in {cells} of each,"
            yield "under the same load. strace stops the process at each call, so calls that depend"
            yield "on the clock, such as nanosleep, are counted too often."
        else:
            because = [f"because {why}"] if (why := found.profile.no_calls) else []
            yield f"{', '.join(['By system call: cannot say', *because])}."
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
    parts = [f"**{marked.escape(headline(found, unit))}**", *map(marked.table, tables(found))]
    return "\n\n".join([*parts, marked.escape(about(found, unit))]) + "\n"


def show(found: Explanation, unit: str) -> None:
    """Print it to the terminal."""
    console = Console()
    say(console, headline(found, unit), style="bold")
    for one in tables(found):
        console.print(drawn(one, ""))
    say(console, about(found, unit))
