"""Tables of loads in which so many units are under way at a time: means, and how times spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from race.analysis.distributions import Mean, Means, Timed
from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import PERCENT, Column, ColumnKind, ReportTable, fill
from race.report.tables import values
from race.report.tables.values import RATE, RATIO, REFERENCE, SATURATED, Ratio

PERCENTILES = (25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99)
TIMES = ColumnKind("{:.2f}×".format)
MOMENTS = {"min µs": "least", "mean µs": "mean", "max µs": "most", "deviation µs": "deviation"}
"""Heading to attribute of moments."""


def means(analysis: Analysis, found: Means) -> ReportTable:
    """Return the geometric means over tasks under one load."""
    rate = f"{analysis.discipline.unit}/s"

    def ratio(one: Mean) -> Ratio | str | None:
        if one.item.label == found.reference:
            return REFERENCE
        return Ratio(one.ratio) if one.ratio else None

    columns = (
        values.contender(analysis.discipline, palette(analysis), lambda one: one.item),
        Column(rate, lambda one: one.throughput.median),
        Column("ratio [95 %]", ratio, RATIO),
        Column("rows/s", lambda one: one.rows_per_second),
        Column("CPU µs/row", lambda one: one.cpu_us_per_row),
        *_times(),
    )
    caption = (
        f"Over {found.tasks}, of each figure by itself. Ratio of {rate} to "
        f"{found.reference or 'no one'}. CV: the mean deviation over the mean time. The mean of a "
        "percentile belongs to no distribution that anybody saw."
    )
    heading = f"Geometric mean, {words.load_text(found.load, analysis.discipline.unit)}"
    return fill(heading, columns, found.rows, caption)


def distributions(
    analysis: Analysis, comparison: Comparison, found: Sequence[Timed], ranked: bool = False
) -> ReportTable:
    """Return how the times of single units spread, by contender.

    `ranked`: it follows the ranking, which has the rates.
    """
    rate = Column(f"{analysis.discipline.unit}/s", lambda one: values.rate(one.item), RATE)
    by_row = (
        Column("rows/s", lambda one: one.rows_per_second),
        Column("CPU µs/row", lambda one: one.cpu_us_per_row(comparison.party)),
    )
    timed = any(one.percentiles or one.moments for one in found)
    best = max((one.item.throughput.median for one in found if one.item.throughput), default=0.0)
    saturated = Column(
        "saturated",
        lambda one: values.saturated(comparison, one.item),
        SATURATED,
        css="saturated",
    )
    columns = (
        values.contender(analysis.discipline, palette(analysis), lambda one: one.item),
        *(() if ranked else (rate,)),
        *(by_row if any(one.rows and one.rows > 1 for one in found) else ()),
        *((Column("of the best", lambda one: _of_best(one, best), TIMES),) if timed else ()),
        *_times(),
        *(() if ranked else (saturated,)),
    )
    caption = (
        "Of all cells that count together. CV: the standard deviation over the mean. Of the best: "
        "the rate over the highest one."
    )
    return fill(f"Distributions of {comparison.place}", columns, found, caption)


def _percentile(percent: float) -> Column:
    return Column(f"p{percent:g} µs", lambda one: one.percentiles.get(percent))


def _times() -> Iterator[Column]:
    """Return the columns of the moments and percentiles of times."""
    yield from (Column(title, partial(_moment, name)) for title, name in MOMENTS.items())
    yield Column("CV", partial(_moment, "variation"), PERCENT)
    yield from map(_percentile, PERCENTILES)


def _of_best(one: Timed, best: float) -> float | None:
    rate = one.item.throughput
    return rate.median / best if rate and best else None


def _moment(name: str, one: Timed | Mean) -> float | None:
    return getattr(one.moments, name) if one.moments else None
