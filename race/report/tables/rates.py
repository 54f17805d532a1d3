"""The table of a fixed rate that several contenders were offered."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from markupsafe import Markup

from race.analysis.distributions import OPEN_LOOP, Latencies
from race.analysis.model import Analysis, Comparison, ContenderResult
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import PLAIN, Column, ReportTable, fill
from race.report.tables import values
from race.report.tables.values import RATIO, REFERENCE, VERDICT, Ratio

FAR = "p99.9"
"""The percentile that errors can move: a request without an answer is in no histogram."""


class Percentile(NamedTuple):
    """Microseconds with their interval; `bound`: answers are missing beyond them."""

    us: float
    bound: bool
    ends: tuple[float, float] | None

    @property
    def parts(self) -> tuple[str, str]:
        """The percentile, and its interval in the same unit."""
        shown = f"{'≥ ' * self.bound}{words.milliseconds(self.us)}"
        low, high = (words.number(end / 1e3) for end in self.ends or (0, 0))
        return shown, f"[{low}, {high}]" if self.ends else ""

    def __str__(self) -> str:
        return " ".join(filter(None, self.parts))

    def __html__(self) -> Markup:
        return Markup("{} <small>{}</small>").format(*self.parts)


def shared(analysis: Analysis) -> list[Comparison]:
    """Return the comparisons in which several contenders served the same fixed rate."""
    return [
        one
        for one in analysis.comparisons
        if one.rated and sum(item.throughput is not None for item in one.results) > 1
    ]


def rated(analysis: Analysis, comparison: Comparison, found: Latencies) -> ReportTable:
    """Return contenders at a fixed rate, the cheapest first."""
    discipline = comparison.discipline
    columns = (
        values.contender(discipline, palette(analysis)),
        values.cost(comparison),
        Column("CPU ratio [95 %]", lambda item: _ratio(comparison, item), RATIO),
        Column("verdict", values.cpu_verdict, VERDICT, brief=" "),
        *_times(analysis, comparison, found),
        Column("p99 ratio [95 %]", lambda item: item.p99_ratio and Ratio(item.p99_ratio), RATIO),
        values.who_was_saturated(comparison),
        values.CELLS,
    )
    caption = (
        f"Ratio: of CPU time per {words.one(discipline.unit)} to "
        f"{comparison.reference or 'no one'}, with its 95 % interval; the cheapest first. "
        "p99 ratio: the same of p99 within rounds. "
        f"{band_text(found)}"
    ).rstrip()
    items = sorted(comparison.results, key=lambda item: _cost(comparison, item))
    title = f"{comparison.place} at a fixed rate"
    return fill(title, columns, items, caption, "numbers", values.row)


def _cost(comparison: Comparison, item: ContenderResult) -> float:
    return item.cpu_us.get(comparison.party, math.inf) if item.throughput else math.inf


def _ratio(comparison: Comparison, item: ContenderResult) -> Ratio | str | None:
    if item.label == comparison.reference:
        return REFERENCE
    return Ratio(item.cpu_ratio) if item.cpu_ratio else None


def band_text(found: Latencies) -> str:
    """Return how far the A/A twins differ; nothing where that is not known."""
    if not found.bands:
        return ""
    bands = ", ".join(f"{name} by up to {band:.2f}×" for name, band in found.bands.items())
    return f"The same code, run twice (A/A), differs in {bands}."


def _times(analysis: Analysis, comparison: Comparison, found: Latencies) -> Iterator[Column]:
    """Return the columns of percentiles, marked where answers are missing beyond them."""
    lost = {
        cell.label
        for cell in analysis.counted
        if cell.work == comparison.work and any(cell.errors.values())
    }

    def value(name: str, item: ContenderResult) -> Percentile | None:
        us = item.latency_us.get(name)
        if us is None:
            return None
        bound = name == FAR and item.label in lost
        return Percentile(us, bound, found.intervals.get(item.label, {}).get(name))

    for name in OPEN_LOOP:
        yield Column(name, partial(value, name), PLAIN, css="percentile")
