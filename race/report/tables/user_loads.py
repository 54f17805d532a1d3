"""Tables of user loads, and of cells that were watched from their begin to their end."""

from __future__ import annotations

from race.analysis.model import Analysis, Comparison
from race.analysis.user_loads import (
    ALL,
    PartFigures,
    UserLoadGroup,
    UserLoadRatios,
    UserLoadResult,
    WatchedComparison,
)
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import COUNT, PLAIN, TEXT, Column, Kind, Row, Table
from race.report.tables import values
from race.report.tables.values import COUNTED, NAME, RATIO, SATURATED, Ratio, Saturated

TIMES = Kind(
    lambda found: words.spread(found, words.milliseconds),
    brief=lambda found: words.milliseconds(found.median),
)
SHARES = Kind(
    lambda found: words.spread(found, words.percent),
    brief=lambda found: words.percent(found.median),
)


def users(analysis: Analysis, group: UserLoadGroup) -> Table:
    """Return contenders under one user load: how much went well, how long it took."""
    discipline, colours = analysis.discipline, palette(analysis)
    columns = (
        Column(discipline.contender, NAME),
        Column(discipline.unit, COUNT),
        Column("median", TIMES),
        Column("p95", TIMES),
        Column("failed", SHARES),
        values.cost(group.comparison),
        Column("saturated", TEXT),
        Column("n", PLAIN),
    )
    rows = [
        Row(
            [
                values.name(colours, side.item),
                side.by_name[ALL].count.median,
                side.by_name[ALL].p50_us,
                side.p95_us,
                side.lost,
                side.cpu_us,
                side.saturated or "unknown",
                side.cells,
            ]
        )
        for side in group.sides
    ]
    caption = (
        "Each figure is of one cell: the median over n cells, in brackets the least and the "
        f"largest. Times are of all {discipline.unit}, also of those that failed."
    )
    return Table(f"{group.title}, {group.comparison.load}", columns, rows, caption)


def pairs(analysis: Analysis, group: UserLoadGroup) -> Table:
    """Return the ratios of pairs that differ in one factor."""
    discipline = analysis.discipline
    more = f", {group.conditions}" if group.conditions else ""
    columns = (
        Column(discipline.contender, NAME),
        *(Column(name, TEXT) for name in ("against", "differ in")),
        *(Column(name, RATIO) for name in (discipline.unit, "median", "p95")),
    )
    rows = [
        Row([one.label.replace(more, ""), one.other.replace(more, ""), one.differ, *_ratios(one)])
        for one in group.pairs
    ]
    caption = "Ratios, with 95 % intervals. Of a time, less is better."
    return Table(f"Pairs: {group.title}", columns, rows, caption)


def _ratios(pair: UserLoadRatios) -> list[Ratio | None]:
    return [Ratio(one) if one else None for one in (pair.count, pair.p50, pair.p95)]


def parts(group: UserLoadGroup) -> Table:
    """Return, by what was asked for, how much went well and the median of all times."""
    shown = Kind(_part)
    columns = [Column("", TEXT), *(Column(side.item.name, shown) for side in group.sides)]
    rows = [
        Row([name, *(side.by_name.get(name) for side in group.sides)])
        for name in group.names
        if name != ALL
    ]
    caption = "By what was asked for: how many went well in a cell, and the median of all times."
    return Table(f"Parts of {group.title}", columns, rows, caption)


def _part(part: PartFigures) -> str:
    took = words.milliseconds(part.p50_us.median if part.p50_us else None)
    return f"{part.count.median:,.0f} · {took}"


def watched(analysis: Analysis, found: WatchedComparison, ranked: bool = False) -> Table:
    """Return what cells took from their begin to their end.

    `ranked`: it follows the ranking, which has the rates.
    """
    comparison, colours = found.comparison, palette(analysis)
    discipline = comparison.discipline
    columns = (
        Column(discipline.contender, NAME),
        Column(discipline.unit, COUNT),
        Column("seconds"),
        Column(f"{discipline.unit}/s"),
        values.cost(comparison),
        Column("connections open", COUNT),
        Column("connections in use", COUNT),
        Column("memory at most", Kind(words.megabytes)),
        Column("saturated", SATURATED, css="saturated"),
        Column("n", COUNTED),
    )
    rows = [
        Row(
            [
                values.name(colours, side.item),
                side.by_name[ALL].count.median,
                words.seconds(side),
                *((None, None) if ranked else _rates(comparison, side)),
                *(words.most(side, name) for name in ("connections", "active")),
                side.item.meters.get("peak_bytes", {}).get(comparison.party),
                *((None, None) if ranked else _counts(comparison, side)),
            ]
        )
        for side in found.sides
    ]
    caption = (
        "Each figure is of one cell: the median over the n cells that count; of connections, the "
        "most at any moment of any of them."
    )
    return Table(f"{comparison.title}, {comparison.load}", columns, rows, caption, css="numbers")


def _rates(comparison: Comparison, side: UserLoadResult) -> tuple[float | None, float | None]:
    rate = side.item.throughput
    return rate.median if rate else None, side.item.cpu_us.get(comparison.party)


def _counts(comparison: Comparison, side: UserLoadResult) -> tuple[Saturated | None, str]:
    return values.saturated(comparison, side.item), words.counted(side.item)
