"""A figure of the report, and what several figures are made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison
from race.report.charts import bars, marks, plots, vega
from race.report.charts.colours import Palette
from race.report.charts.marks import Row
from race.report.sentences import spoken


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption; `key` explains the lines, where it has any."""

    title: str
    caption: str
    drawing: Markup
    key: tuple[Row, ...] = ()


def unpipelined(analysis: Analysis) -> list[Comparison]:
    """The comparisons of the closed loop without pipelining."""
    return [comparison for comparison in analysis.closed() if comparison.work.load.pipeline == 1]


def comparison_bars(comparison: Comparison, palette: Palette, name: str) -> Markup | None:
    """Units/s and CPU per unit of one comparison."""
    if not any(item.throughput for item in comparison.results):
        return None
    unit = comparison.discipline.unit
    title = f"{comparison.title}, {comparison.load}: {unit}/s and CPU per {unit.removesuffix('s')}"
    text = spoken(comparison)
    return vega.figure(name, lambda narrow: bars.bars(comparison, palette, narrow), title, text)


def contender_lines(comparisons: Iterable[Comparison], palette: Palette) -> dict[str, Row]:
    """The lines of everyone who has a number, or lost it at a fixed rate."""
    found = [item for comparison in comparisons for item in comparison.results]
    drawn = (item for item in found if item.throughput or item.state == "overloaded")
    return marks.lines(drawn, palette)


def ratio_figure(name: str, rows: Sequence[Row], margin: float, title: str) -> Markup:
    """Intervals of ratios, told row by row; `margin` in percent."""
    text = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    return vega.figure(name, lambda narrow: plots.ratios(rows, margin, narrow), title, text)
