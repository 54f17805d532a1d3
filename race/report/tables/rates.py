"""The table of a fixed rate that several contenders were offered."""

from __future__ import annotations

import math

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import PLAIN, Column, Row, Table
from race.report.tables import values
from race.report.tables.values import COUNTED, NAME, RATIO, REFERENCE, SATURATED, Ratio

PERCENTILES = ("p50", "p99", "p99.9")
FAR = "p99.9"
"""What the errors that a cell may have can move: those without an answer are in no histogram."""


def shared(analysis: Analysis) -> list[Comparison]:
    """Return the comparisons in which several contenders served the same fixed rate."""
    return [
        comparison
        for comparison in analysis.comparisons
        if comparison.rated and sum(item.throughput is not None for item in comparison.results) > 1
    ]


def rated(analysis: Analysis, comparison: Comparison) -> Table:
    """Return contenders at a fixed rate, the cheapest first."""
    discipline, colours = comparison.discipline, palette(analysis)
    columns = (
        Column(discipline.contender, NAME),
        values.cost(comparison),
        Column("CPU ratio [95 %]", RATIO),
        *(Column(name, PLAIN) for name in PERCENTILES),
        Column("saturated", SATURATED, css="saturated"),
        Column("n", COUNTED),
    )
    lost = {
        cell.label
        for cell in analysis.counted
        if cell.work == comparison.work and any(cell.errors.values())
    }
    rows = []
    for item in sorted(comparison.results, key=lambda item: _cost(comparison, item)):
        name = values.name(colours, item)
        if item.throughput is None:
            missing = [None] * (len(columns) - 2)
            rows.append(Row([name, *missing, words.counted(item)], item.state, item.reason or ""))
            continue
        times = [_time(item, percentile, item.label in lost) for percentile in PERCENTILES]
        figures = [item.cpu_us.get(comparison.party), _ratio(comparison, item), *times]
        last = [values.saturated(comparison, item), words.counted(item)]
        rows.append(Row([name, *figures, *last]))
    caption = (
        f"Ratio: of CPU time per {words.one(discipline.unit)} to "
        f"{comparison.reference or 'no one'}, with its 95 % interval; the cheapest first."
    )
    return Table(f"{comparison.place} at a fixed rate", columns, rows, caption, css="numbers")


def _cost(comparison: Comparison, item: ContenderResult) -> float:
    return item.cpu_us.get(comparison.party, math.inf) if item.throughput else math.inf


def _ratio(comparison: Comparison, item: ContenderResult) -> Ratio | str:
    if item.label == comparison.reference:
        return REFERENCE
    return Ratio(item.cpu_ratio) if item.cpu_ratio else words.NONE


def _time(item: ContenderResult, percentile: str, lost: bool) -> str:
    """Return a percentile, marked where answers are missing beyond it."""
    us = item.latency_us.get(percentile)
    if us is None:
        return words.NONE
    return f"{'≥ ' * (percentile == FAR and lost)}{words.milliseconds(us)}"
