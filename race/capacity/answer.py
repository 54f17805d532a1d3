"""The answer of a search for capacities: for a terminal and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter

from race.capacity.analysis import FOUND, OPEN, Capacity, unseen
from race.capacity.record import AT_LEAST, NEVER_KEPT, CapacityRun
from race.console import Console
from race.report import format as words
from race.report import markdown as marked
from race.report.console import drawn, say
from race.report.table import PERCENT, PLAIN, TEXT, Column, ReportTable, fill
from race.stats.estimate import show_interval


def headline(one: Capacity, unit: str) -> str:
    """Return what was found for a contender, in one sentence."""
    bound = words.number(one.bound)
    if one.outcome == FOUND:
        return f"{one.label} holds {text(one)} {unit}/s of {one.task}."
    if one.outcome == AT_LEAST:
        return (
            f"{one.label} holds at least {bound} {unit}/s of {one.task}: "
            "the load generator cannot offer more."
        )
    if one.outcome == NEVER_KEPT:
        why = f" ({one.reason})" if one.reason else ""
        return f"{one.label} does not keep it even at {bound} {unit}/s of {one.task}{why}."
    if one.outcome == OPEN:
        seen = f", about {words.number(one.rate.ratio)} {unit}/s" if one.rate else ""
        return f"What {one.label} holds of {one.task} is open{seen}: {one.reason}."
    return f"The load generator cannot offer even {bound} {unit}/s of {one.task} to {one.label}."


def text(one: Capacity) -> str:
    """Return a rate with its interval: "1,234 [1,190, 1,280]"."""
    if one.rate is None:
        return f"≥ {words.number(one.bound)}" if one.outcome == AT_LEAST else words.NONE
    value, ends = words.number(one.rate.ratio), ""
    if one.rate.bounded:
        low, high = math.exp(one.rate.low), math.exp(one.rate.high)
        value, ends = show_interval(one.rate.ratio, low, high)
    return f"{value} {ends}".strip()


def table(run: CapacityRun, found: Sequence[Capacity]) -> ReportTable:
    """Return every contender on every task."""
    kind = run.head.discipline
    columns = (
        Column(kind.contender, attrgetter("label"), TEXT),
        Column(kind.task, attrgetter("task"), TEXT),
        Column(f"holds, {kind.unit}/s [95 %]", text, PLAIN, brief="holds [95 %]"),
        Column("gave way", attrgetter("broken"), TEXT),
        Column("saturated", attrgetter("saturated"), TEXT),
        Column("spread", lambda one: one.deviation or None, PERCENT),
        Column("starts", attrgetter("lives"), PLAIN),
        Column("cells", attrgetter("cells"), PLAIN),
        Column("lost", lambda one: one.lost or None, PLAIN),
    )
    return fill("", columns, found)


def promised(run: CapacityRun) -> str:
    """Return the promise in words."""
    errors = f"{100 * run.promise.errors:g} %"
    return f"p99 at most {words.milliseconds(run.promise.p99_us)}, errors at most {errors}"


def about(run: CapacityRun) -> str:
    """Return how it was searched."""
    hidden = 100 * math.expm1(unseen(run.promise, run.cell_s))
    return (
        f"Promise: {promised(run)}. Holds: the highest rate that keeps it, of "
        f"{run.head.discipline.unit} that are due at equal intervals and answered by one start of "
        f"the process after another; cells of {run.cell_s:g} s. Spread: the standard "
        "deviation of what single starts hold. The lower end of an interval contains "
        f"{hidden:.1f} % for a backlog that grows too slowly to be seen within a cell."
    )


def markdown(run: CapacityRun, found: Sequence[Capacity]) -> str:
    """Return the answer as Markdown."""
    unit = run.head.discipline.unit
    lines = "\n".join(f"- {marked.escape(headline(one, unit))}" for one in found)
    return "\n\n".join([lines, marked.table(table(run, found)), marked.escape(about(run))]) + "\n"


def show(run: CapacityRun, found: Sequence[Capacity]) -> None:
    """Print it to the terminal."""
    console = Console()
    for one in found:
        say(console, headline(one, run.head.discipline.unit), style="bold")
    console.print(drawn(table(run, found), ""))
    say(console, about(run))
