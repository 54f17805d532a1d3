"""The ranking of one comparison, and the ranks at every task at a glance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report import sentences
from race.report.charts.colours import palette
from race.report.table import PLAIN, TEXT, Column, ReportTable, TableRow, Two, fill
from race.report.tables import values
from race.report.tables.values import RATE, RATIO, VERDICT, Name, Strip

LOWEST = -9.0
"""A log-ratio below all that are measured."""


Line = list[ContenderResult | None]
"""A contender's result in each comparison."""


def ranking(analysis: Analysis, comparison: Comparison) -> ReportTable:
    """Return contenders, best first, with what was measured of each."""
    discipline, colours = comparison.discipline, palette(analysis)
    known, strips = analysis.race.head.environment.interpreters, values.strips(comparison.results)

    def label(item: ContenderResult) -> Name:
        python = known[item.label].python if item.label in known else ""
        return values.name(colours, item, python)

    def strip(item: ContenderResult) -> Strip | str:
        bound = Strip(0, 0, 0, 0, bound=True) if item.state == "at-least" else None
        return bound or strips.get(item.label) or ""

    columns = (
        Column("rank", lambda item: words.rank(comparison, item), PLAIN, brief=" ", css="rank"),
        Column(discipline.contender, label, TEXT, css="name"),
        Column(f"{discipline.unit}/s", values.rate, RATE, brief="rate/s", css="third"),
        Column("ratio [95 %]", lambda item: values.ratio(comparison, item), RATIO, css="ratio"),
        Column("verdict", partial(values.verdict, comparison), VERDICT, brief=" ", css="third"),
        Column("on a log scale", strip, TEXT, css="strip-cell"),
        values.cost(comparison, css="third"),
        values.who_was_saturated(comparison, "third saturated", comparison.party),
        values.CELLS,
    )
    title = f"Ranking on {comparison.place}"
    rows = [_row([column.value(item) for column in columns], item) for item in comparison.results]
    return ReportTable(title, columns, rows, _caption(comparison), heading=1, css="ranking")


def _row(found: Sequence[Any], item: ContenderResult) -> TableRow:
    rank, *others = found
    row = values.row(others, item)
    style = f"--own:{others[0].colour}"
    return TableRow([rank, *row.values], row.state, row.reason, style)


def _caption(comparison: Comparison) -> str:
    rate = f"{comparison.discipline.unit}/s"
    bounds = any(item.state == "at-least" for item in comparison.results)
    cpu = f", or of CPU time where {rate} is a lower bound (“≥”)" if bounds else ""
    return (
        f"Best first, by the mean ratio to all others. Ratio: of {rate} to "
        f"{comparison.reference or 'no one'}, with its 95 % interval{cpu}. n: cells that count."
    )


def glance(analysis: Analysis) -> ReportTable:
    """Return every contender's rank and multiple of the baseline in each comparison."""
    closed = analysis.closed()
    columns = [
        values.contender(analysis.discipline, palette(analysis), lambda row: row[0]),
        *(
            Column(one.place, partial(_place, one, at), TEXT, link=sentences.slug(one))
            for at, one in enumerate(closed)
        ),
    ]
    return fill(f"Ranks on every {analysis.discipline.task}", columns, matrix(closed), css="matrix")


def about_glance(analysis: Analysis) -> str:
    """Return what the table of `glance` shows, and in which order."""
    discipline, baseline = analysis.discipline, analysis.race.head.baseline
    multiple = f"{discipline.unit}/s as a multiple of {baseline}"
    shown = f"{multiple[0].upper()}{multiple[1:]}; there are too few rounds to rank."
    if sentences.strongest(analysis):
        ranks = f"Ranks on each {discipline.task}, from the best possible to the worst"
        shown = f"{ranks}, and {multiple}."
    results = (item for comparison in analysis.closed() for item in comparison.results)
    if any(item.state == "at-least" for item in results):
        shown += (
            f" “≥” is a lower bound: something other than the {discipline.parties[0]} was the "
            "limit, so CPU time is compared."
        )
    return f"{shown} In the order of the mean multiple over all {discipline.task}s."


def _place(comparison: Comparison, at: int, row: tuple[ContenderResult, Line]) -> Two | None:
    """Return the rank, or why there is none, and the multiple of the baseline."""
    item = row[1][at]
    if item is None:
        return None
    if not item.throughput:
        return Two(item.state, "", "rule" if item.state == "unsupported" else "failed")
    if item.state == "at-least":
        cpu = item.cpu_ratio and f"CPU {str(item.cpu_ratio).partition(' ')[0]}"
        rank = f"≥ {words.rank(comparison, item)}" if item.ranks else "≥"
        return Two(rank, cpu or f"{words.rate(item)}/s", _css(comparison, item))
    known = str(item.ratio).partition(" ")[0] if item.ratio else words.NONE
    if item.ratio is None and item.cpu_ratio:  # the reference's rate is a lower bound
        known = f"CPU {str(item.cpu_ratio).partition(' ')[0]}"
    multiple = "1×" if item.label == comparison.reference else known
    rank, css = words.rank(comparison, item), _css(comparison, item)
    return Two(rank, multiple, css) if comparison.decided else Two(multiple, "", css)


def _css(comparison: Comparison, item: ContenderResult) -> str:
    return "first" if item in comparison.unbeaten else ""


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
