"""A figure of the report: a drawing with its heading, caption and key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison
from race.report.charts import svg
from race.report.charts.colours import Look, Palette
from race.report.charts.rows import Interval, intervals


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption; `key` explains the lines, where it has any."""

    title: str
    caption: str
    drawing: Markup
    key: tuple[Look, ...] = ()


def unpipelined(analysis: Analysis) -> list[Comparison]:
    """Return the comparisons of the closed loop without pipelining."""
    return [one for one in analysis.closed() if one.work.load.pipeline == 1]


def lines(comparisons: Iterable[Comparison], palette: Palette) -> dict[str, Look]:
    """Return the lines of everyone who has a number, or lost it at a fixed rate."""
    found = [item for comparison in comparisons for item in comparison.results]
    return palette.lines(item for item in found if item.throughput or item.state == "overloaded")


def ratios(rows: list[Interval], margin: float, title: str) -> Markup:
    """Return a drawing of ratios; `margin` in percent."""
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    return svg.drawing([intervals(rows, margin)], title, described)
