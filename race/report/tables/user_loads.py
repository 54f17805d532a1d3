"""Tables of user loads, and of cells that were watched from their begin to their end."""

from __future__ import annotations

from dataclasses import replace

from race.analysis.model import Analysis, Comparison
from race.analysis.user_loads import (
    ALL,
    PartFigures,
    UserLoadGroup,
    UserLoadResult,
    WatchedComparison,
)
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import COUNT, PLAIN, TEXT, Column, ColumnKind, ReportTable, fill
from race.report.tables import values
from race.report.tables.values import RATE, RATIO, Ratio
from race.stats.estimate import Estimate

MEGABYTES = ColumnKind(words.megabytes)
TIMES = ColumnKind(
    lambda found: words.spread(found, words.milliseconds),
    brief=lambda found: words.milliseconds(found.median),
)
SHARES = ColumnKind(
    lambda found: words.spread(found, words.percent),
    brief=lambda found: words.percent(found.median),
)


def users(analysis: Analysis, group: UserLoadGroup) -> ReportTable:
    """Return contenders under one user load: how much went well, how long it took."""
    unit = analysis.discipline.unit
    columns = (
        values.contender(analysis.discipline, palette(analysis), lambda side: side.item),
        _units(analysis),
        Column("median", lambda side: side.by_name[ALL].p50_us, TIMES),
        Column("p95", lambda side: side.p95_us, TIMES),
        Column("failed", lambda side: side.lost, SHARES),
        Column(f"CPU µs/{words.one(unit)}", lambda side: side.cpu_us, brief="µs"),
        Column("saturated", lambda side: side.saturated or "unknown", TEXT),
        Column("n", lambda side: side.cells, PLAIN),
    )
    caption = (
        "Each figure is of one cell: the median over n cells, in brackets the least and the "
        f"largest. Times are of all {unit}, also of those that failed."
    )
    return fill(f"{group.title}, {group.comparison.load}", columns, group.sides, caption)


def _units(analysis: Analysis) -> Column:
    unit = analysis.discipline.unit
    return Column(unit, lambda side: side.by_name[ALL].count.median, COUNT)


def pairs(analysis: Analysis, group: UserLoadGroup) -> ReportTable:
    """Return the ratios of pairs that differ in one factor."""
    more = f", {group.conditions}" if group.conditions else ""
    columns = (
        Column(analysis.discipline.contender, lambda pair: pair.label.replace(more, ""), TEXT),
        Column("against", lambda pair: pair.other.replace(more, ""), TEXT),
        Column("differ in", lambda pair: pair.differ, TEXT),
        Column(analysis.discipline.unit, lambda pair: _ratio(pair.count), RATIO),
        Column("median", lambda pair: _ratio(pair.p50), RATIO),
        Column("p95", lambda pair: _ratio(pair.p95), RATIO),
        Column("CPU time", lambda pair: _ratio(pair.cpu), RATIO),
    )
    caption = "Ratios, with 95 % intervals. Of a time, less is better."
    return fill(f"Pairs: {group.title}", columns, group.pairs, caption)


def _ratio(estimate: Estimate | None) -> Ratio | None:
    return Ratio(estimate) if estimate else None


def parts(group: UserLoadGroup) -> ReportTable:
    """Return, by what was asked for, how much went well and the median of all times."""
    columns = [Column("", str, TEXT), *(_part_of(side) for side in group.sides)]
    names = [name for name in group.names if name != ALL]
    caption = "By what was asked for: how many went well in a cell, and the median of all times."
    return fill(f"Parts of {group.title}", columns, names, caption)


def _part_of(side: UserLoadResult) -> Column:
    return Column(side.item.name, side.by_name.get, ColumnKind(_part))


def _part(part: PartFigures) -> str:
    took = words.milliseconds(part.p50_us.median if part.p50_us else None)
    return f"{part.count.median:,.0f} · {took}"


def watched(analysis: Analysis, found: WatchedComparison, ranked: bool = False) -> ReportTable:
    """Return what cells took from their begin to their end.

    `ranked`: it follows the ranking, which has the rates.
    """
    comparison, discipline = found.comparison, analysis.discipline
    rates = [
        Column(f"{discipline.unit}/s", values.rate, RATE),
        values.cost(comparison),
        values.who_was_saturated(comparison),
        values.CELLS,
    ]
    others = () if ranked else [_of_result(column) for column in rates]
    columns = (
        values.contender(discipline, palette(analysis), lambda side: side.item),
        _units(analysis),
        Column("seconds", words.seconds),
        Column("connections open", lambda side: words.most(side, "connections"), COUNT),
        Column("connections in use", lambda side: words.most(side, "active"), COUNT),
        Column("memory at most", lambda side: _memory(comparison, side), MEGABYTES),
        *others,
    )
    caption = (
        "Each figure is of one cell: the median over the n cells that count; of connections, the "
        "most at any moment of any of them."
    )
    title = f"{comparison.title}, {comparison.load}"
    return fill(title, columns, found.sides, caption, css="numbers")


def _of_result(column: Column) -> Column:
    """Return a column of a contender's result for its user load."""
    return replace(column, value=lambda side: column.value(side.item))


def _memory(comparison: Comparison, side: UserLoadResult) -> float | None:
    return side.item.meters.get("peak_bytes", {}).get(comparison.party)
