"""Tables of loads in which so many units are under way at a time: means, and how times spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from race.analysis.distributions import Means, Timed
from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report.charts.colours import palette
from race.report.table import NUMBER, PERCENT, Column, Row, Table
from race.report.tables import values
from race.report.tables.values import NAME, RATE, RATIO, REFERENCE, SATURATED, Ratio

PERCENTILES = (25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99)


def means(analysis: Analysis, found: Means) -> Table:
    """Return the geometric means over tasks under one load."""
    discipline, colours = analysis.discipline, palette(analysis)
    rate = f"{discipline.unit}/s"
    columns = (
        Column(discipline.contender, NAME),
        Column(rate),
        Column("ratio [95 %]", RATIO),
        Column("rows/s"),
        Column("CPU µs/row"),
        Column("p50 µs"),
        Column("p99 µs"),
    )
    rows = [
        Row(
            [
                values.name(colours, one.item),
                one.throughput.median,
                REFERENCE
                if one.item.label == found.reference
                else Ratio(one.ratio)
                if one.ratio
                else None,
                one.rows_per_second,
                one.cpu_us_per_row,
                *(one.percentiles.get(percent) for percent in (50.0, 99.0)),
            ]
        )
        for one in found.rows
    ]
    caption = (
        f"Over {found.tasks}. Ratio of {rate} to {found.reference or 'no one'}. The mean of a "
        "percentile belongs to no distribution that anybody saw."
    )
    heading = f"Geometric mean, {words.load_text(found.load, discipline.unit)}"
    return Table(heading, columns, rows, caption, css="numbers")


def distributions(
    analysis: Analysis, comparison: Comparison, found: Sequence[Timed], ranked: bool = False
) -> Table:
    """Return how the times of single units spread, by contender.

    `ranked`: it follows the ranking, which has the rates.
    """
    colours = palette(analysis)
    several = any(one.rows and one.rows > 1 for one in found)
    moments = ("min µs", "mean µs", "max µs", "deviation µs")
    columns = (
        Column(comparison.discipline.contender, NAME),
        Column(f"{comparison.discipline.unit}/s", RATE),
        *(Column(name) for name in ("rows/s", "CPU µs/row", *moments)),
        Column("CV", PERCENT),
        *(Column(f"p{percent:g} µs", NUMBER) for percent in PERCENTILES),
        Column("saturated", SATURATED, css="saturated"),
    )
    rows = [
        Row(
            [
                values.name(colours, one.item),
                None if ranked else values.rate(one.item),
                *(_by_row(comparison, one) if several else (None, None)),
                *_moments(one),
                *(one.percentiles.get(percent) for percent in PERCENTILES),
                None if ranked else values.saturated(comparison, one.item),
            ]
        )
        for one in found
    ]
    caption = "Of all cells that count together. CV: the standard deviation over the mean."
    return Table(f"Distributions of {comparison.place}", columns, rows, caption)


def _by_row(comparison: Comparison, one: Timed) -> tuple[float | None, float | None]:
    return one.rows_per_second, one.cpu_us_per_row(comparison.party)


def _moments(one: Timed) -> list[Any]:
    found = one.moments
    if found is None:
        return [None] * 5
    return [found.least, found.mean, found.most, found.deviation, found.variation]
