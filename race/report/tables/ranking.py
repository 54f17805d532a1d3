"""The ranking of one comparison, and the ranks at every task at a glance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report import sentences
from race.report.charts.colours import Palette, palette
from race.report.table import PLAIN, TEXT, Column, Row, Table, Two
from race.report.tables import values
from race.report.tables.values import COUNTED, NAME, RATE, RATIO, SATURATED, Strip

LOWEST = -9.0
"""A log-ratio below all that are measured."""


def ranking(analysis: Analysis, comparison: Comparison) -> Table:
    """Return contenders, best first, with what was measured of each."""
    discipline = comparison.discipline
    columns = (
        Column("rank", PLAIN, " ", css="rank"),
        Column(discipline.contender, NAME, css="name"),
        Column(f"{discipline.unit}/s", RATE, "rate/s", css="third"),
        Column("ratio [95 %]", RATIO, css="ratio"),
        Column("on a log scale", TEXT, css="strip-cell"),
        values.cost(comparison, css="third"),
        Column("saturated", SATURATED, comparison.party, css="third saturated"),
        Column("n", COUNTED, css="third"),
    )
    strips = values.strips(comparison.results)
    colours = palette(analysis)
    rows = [_row(analysis, comparison, item, colours, strips) for item in comparison.results]
    return Table(
        f"Ranking on {comparison.place}", columns, rows, _caption(comparison), 1, "ranking"
    )


def _row(
    analysis: Analysis,
    comparison: Comparison,
    item: ContenderResult,
    colours: Palette,
    strips: Mapping[str, Strip],
) -> Row:
    known = analysis.race.head.environment.interpreters.get(item.label)
    label = values.name(colours, item, known.python if known else "")
    bound = Strip(0, 0, 0, 0, bound=True) if item.state == "at-least" else None
    first, last = (words.rank(comparison, item), label), words.counted(item)
    style = f"--own:{label.colour}"
    if item.throughput is None:
        return Row([*first, *[None] * 5, last], item.state, item.reason or "", style)
    figures = (
        values.rate(item),
        values.ratio(comparison, item),
        bound or strips.get(item.label) or "",
        item.cpu_us.get(comparison.party),
        values.saturated(comparison, item),
    )
    return Row([*first, *figures, last], style=style)


def _caption(comparison: Comparison) -> str:
    rate = f"{comparison.discipline.unit}/s"
    bounds = any(item.state == "at-least" for item in comparison.results)
    cpu = f", or of CPU time where {rate} is a lower bound (“≥”)" if bounds else ""
    return (
        f"Best first, by the mean ratio to all others. Ratio: of {rate} to "
        f"{comparison.reference or 'no one'}, with its 95 % interval{cpu}. n: cells that count."
    )


def glance(analysis: Analysis) -> Table:
    """Return every contender's rank and multiple of the baseline in each comparison."""
    closed = analysis.closed()
    colours = palette(analysis)
    columns = [
        Column(analysis.discipline.contender, NAME),
        *(Column(one.place, TEXT, link=sentences.slug(one)) for one in closed),
    ]
    rows = [
        Row([values.name(colours, first), *map(_place, closed, row)])
        for first, row in matrix(closed)
    ]
    return Table(f"Ranks on every {analysis.discipline.task}", columns, rows, css="matrix")


def _place(comparison: Comparison, item: ContenderResult | None) -> Two | None:
    """Return the rank, or why there is none, and the multiple of the baseline."""
    if item is None:
        return None
    if not item.throughput:
        return Two(item.state, "", "rule" if item.state == "unsupported" else "failed")
    if item.state == "at-least":
        cpu = item.cpu_ratio and f"CPU {str(item.cpu_ratio).partition(' ')[0]}"
        return Two("≥", cpu or f"{words.rate(item)}/s")
    known = str(item.ratio).partition(" ")[0] if item.ratio else words.NONE
    multiple = "1×" if item.label == comparison.reference else known
    css = "first" if item in comparison.unbeaten else ""
    rank = words.rank(comparison, item)
    return Two(rank, multiple, css) if comparison.decided else Two(multiple, "", css)


Line = list[ContenderResult | None]
"""A contender's result in each comparison."""


def matrix(comparisons: Sequence[Comparison]) -> list[tuple[ContenderResult, Line]]:
    """Return every contender with its result in each comparison, the best on the mean first."""
    found: dict[str, Line] = {}
    for column, comparison in enumerate(comparisons):
        for item in comparison.results:
            found.setdefault(item.label, [None] * len(comparisons))[column] = item
    rows = [(next(filter(None, row)), row) for row in found.values()]
    return sorted(rows, key=lambda row: (-_mean(row[1]), row[0].label))


def _mean(row: Sequence[ContenderResult | None]) -> float:
    """Return the mean log-ratio to the references.

    The reference itself counts as 0, no number as very low, what is not supported not at all.
    """
    logs = [_log(item) for item in row if item and item.state != "unsupported"] or [LOWEST]
    return math.fsum(logs) / len(logs)


def _log(item: ContenderResult) -> float:
    if item.throughput is None:
        return LOWEST
    if item.ratio is None and item.cpu_ratio:  # a lower bound: what it could do by its CPU time
        return -item.cpu_ratio.value
    return item.ratio.value if item.ratio else 0.0
