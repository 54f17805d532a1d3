"""Tables of contenders by their number of workers: efficiency, shares, the knee, a projection."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from race.analysis.model import Analysis, Comparison
from race.analysis.scaling.curves import Point, Scaling, own_name
from race.analysis.scaling.law import FEWEST
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import PLAIN, TEXT, Column, ReportTable, as_above, fill
from race.report.tables import values
from race.report.tables.values import RATE, RATIO, SATURATED, Name, Ratio
from race.stats.estimate import show_interval, show_ratio

NAMED = 3
"""Up to so many workers, each has its figure; of more, the largest and the smallest are shown."""


class _Row(NamedTuple):
    scaling: Scaling
    point: Point


def name(analysis: Analysis, scaling: Scaling) -> Name:
    """Return a contender's name without its number of workers."""
    colours = palette(analysis)
    look = colours.look(scaling.points[0].item)
    return Name(scaling.name, own_name(look.short), look.colour, pale=False)


def points(analysis: Analysis, comparison: Comparison, found: Sequence[Scaling]) -> ReportTable:
    """Return a row for each number of workers of each contender."""
    unit, contender = analysis.discipline.unit, analysis.discipline.contender
    columns = (
        Column(contender, lambda row: name(analysis, row.scaling), TEXT),
        Column("workers", lambda row: row.point.workers, PLAIN),
        Column(f"{unit}/s", lambda row: values.rate(row.point.item), RATE),
        Column("speed-up [95 %]", lambda row: _speedup(row.point), RATIO),
        Column("efficiency [95 %]", lambda row: _efficiency(row.point), PLAIN),
        Column("saturated", lambda row: values.saturated(comparison, row.point.item), SATURATED),
        Column("cores", lambda row: "shared" if row.point.crowded else "own", TEXT),
        Column("CPU time of each", lambda row: _each(row.point.shares, _percent), TEXT),
        Column(
            "connections of each", lambda row: _each(row.point.connections, "{:g}".format), TEXT
        ),
    )
    rows = [_Row(one, point) for one in found for point in one.points]
    table = fill(f"Workers on {comparison.place}, {comparison.load}", columns, rows)
    return as_above(table, range(1))


def knees(analysis: Analysis, comparison: Comparison, found: Sequence[Scaling]) -> ReportTable:
    """Return the knee of each contender, and the law that its exact points follow."""
    columns = (
        Column(analysis.discipline.contender, lambda one: name(analysis, one), TEXT),
        Column("knee", knee, TEXT),
        Column("contention σ", lambda one: one.law and f"{one.law.sigma:.3f}", PLAIN),
        Column("coherency κ", lambda one: one.law and f"{one.law.kappa:.5f}", PLAIN),
        Column("projection", projection, TEXT),
    )
    return fill(f"Knees on {comparison.place}", columns, found)


def knee(scaling: Scaling) -> str:
    """Return the first number of workers after which the next is not shown to be faster, or in
    words why that says nothing about the workers.
    """
    first, last, after = scaling.points[0], scaling.points[-1], scaling.after_knee
    if first.speedup is None:
        return f"cannot be told: with 1 worker, {first.item.limit}"
    if scaling.knee is None or after is None:
        return f"none up to {last.workers}" + (", on shared cores" if last.crowded else "")
    at = words.plural(after.workers, "worker")
    if after.crowded:
        return f"cannot be told: {at} share cores"
    if not after.exact:
        return f"cannot be told: with {at}, {after.item.limit}"
    return str(scaling.knee.workers)


def projection(scaling: Scaling) -> str | None:
    """Return what the law says of more workers than were measured; None where it is not fitted."""
    law = scaling.law
    if law is None:
        return None
    points = sum(point.exact for point in scaling.points)
    text = f"{law.speedup(law.farthest):.1f}× with {law.farthest} workers"
    text += f", most with {law.peak:.0f}" if law.peak else ""
    return text + (f"; {FEWEST} points leave nothing to check it by" if points == FEWEST else "")


def _speedup(point: Point) -> Ratio | str | None:
    if point.workers == 1 or point.speedup is None:
        return "1" if point.workers == 1 else None
    found = Ratio(point.speedup)
    return found if point.item.state == "ranked" else f"≥ {found}"


def _efficiency(point: Point) -> str | None:
    """Return the speed-up divided by the workers, with its interval if it has one."""
    found = point.speedup
    if point.workers == 1 or found is None:
        return None
    part, low, high = (
        math.exp(log) / point.workers for log in (found.value, found.low, found.high)
    )
    text = " ".join(show_interval(part, low, high)) if found.bounded else show_ratio(part)
    return text if point.item.state == "ranked" else f"≥ {text}"


def _each(figures: Sequence[float], text: Callable[[float], str]) -> str | None:
    """Return a figure for each worker, or their range."""
    if len(figures) < 2:
        return None
    if len(figures) <= NAMED:
        return ", ".join(map(text, figures))
    return f"{text(figures[0])} to {text(figures[-1])}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.0f} %"
