"""The table of a fixed rate that several contenders were offered."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import PLAIN, Column, ReportTable, fill
from race.report.tables import values
from race.report.tables.values import RATIO, REFERENCE, Ratio

PERCENTILES = ("p50", "p99", "p99.9")
FAR = "p99.9"
"""The percentile that errors can move: a request without an answer is in no histogram."""


def shared(analysis: Analysis) -> list[Comparison]:
    """Return the comparisons in which several contenders served the same fixed rate."""
    return [
        one
        for one in analysis.comparisons
        if one.rated and sum(item.throughput is not None for item in one.results) > 1
    ]


def rated(analysis: Analysis, comparison: Comparison) -> ReportTable:
    """Return contenders at a fixed rate, the cheapest first."""
    discipline = comparison.discipline
    columns = (
        values.contender(discipline, palette(analysis)),
        values.cost(comparison),
        Column("CPU ratio [95 %]", lambda item: _ratio(comparison, item), RATIO),
        *_times(analysis, comparison),
        values.who_was_saturated(comparison),
        values.CELLS,
    )
    caption = (
        f"Ratio: of CPU time per {words.one(discipline.unit)} to "
        f"{comparison.reference or 'no one'}, with its 95 % interval; the cheapest first."
    )
    items = sorted(comparison.results, key=lambda item: _cost(comparison, item))
    title = f"{comparison.place} at a fixed rate"
    return fill(title, columns, items, caption, "numbers", values.row)


def _cost(comparison: Comparison, item: ContenderResult) -> float:
    return item.cpu_us.get(comparison.party, math.inf) if item.throughput else math.inf


def _ratio(comparison: Comparison, item: ContenderResult) -> Ratio | str | None:
    if item.label == comparison.reference:
        return REFERENCE
    return Ratio(item.cpu_ratio) if item.cpu_ratio else None


def _times(analysis: Analysis, comparison: Comparison) -> Iterator[Column]:
    """Return the columns of percentiles, marked where answers are missing beyond them."""
    lost = {
        cell.label
        for cell in analysis.counted
        if cell.work == comparison.work and any(cell.errors.values())
    }

    def text(name: str, item: ContenderResult) -> str | None:
        us = item.latency_us.get(name)
        bound = "≥ " if name == FAR and item.label in lost else ""
        return None if us is None else f"{bound}{words.milliseconds(us)}"

    for name in PERCENTILES:
        yield Column(name, partial(text, name), PLAIN)
