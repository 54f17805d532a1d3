"""Units/s by pipeline depth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report.charts import vega
from race.report.charts.colours import palette
from race.report.charts.curves import Curves
from race.report.charts.figures import Figure, contender_lines
from race.report.charts.marks import Row
from race.report.charts.vega import Spec
from race.report.template import filled


class Pipelining:
    """`chapters.Chapter`: curves of the tasks that ran at more than one depth."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Pipelining"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        figure = _figure(analysis)
        return filled("pipelining", analysis, figure=figure) if figure else None


def _figure(analysis: Analysis) -> Figure | None:
    comparisons = _at_several_depths(analysis)
    lines = contender_lines(comparisons, palette(analysis))
    rows: list[Row] = [
        {
            **lines[item.label],
            "panel": comparison.title,
            "x": comparison.work.load.pipeline,
            "y": item.throughput.median,
            "bound": item.state == "at-least",
        }
        for comparison in comparisons
        for item in comparison.results
        if item.throughput
    ]
    if not rows:
        return None
    unit = analysis.discipline.unit
    told = [
        f"{r['panel']}, {r['label']}, depth {r['x']}: "
        f"{'at least ' if r['bound'] else ''}{words.number(r['y'])}"
        for r in rows
    ]
    curves = Curves(rows, _axis(rows, unit), f"{unit}/s")
    heading = f"{unit.capitalize()} per second by pipeline depth"
    drawing = vega.figure("pipelining", curves.drawn, heading, "; ".join(told))
    caption = f"Both scales are logarithmic.{_bounds(comparisons)}"
    return Figure("", caption, drawing, tuple(lines.values()))


def _bounds(comparisons: Sequence[Comparison]) -> str:
    """Points that are lower bounds, in a sentence."""
    found = [
        f"{item.label} on {comparison.place}"
        for comparison in comparisons
        for item in comparison.results
        if item.state == "at-least" and item.throughput
    ]
    return f" At least (≥): {'; '.join(found)}." if found else ""


def _at_several_depths(analysis: Analysis) -> list[Comparison]:
    depths: dict[str, set[int]] = defaultdict(set)
    for comparison in analysis.closed():
        depths[comparison.work.task].add(comparison.work.load.pipeline)
    return [comparison for comparison in analysis.closed() if len(depths[comparison.work.task]) > 1]


def _axis(rows: list[Row], unit: str) -> Spec:
    seen = sorted({row["x"] for row in rows})
    return {
        "title": f"{unit} in flight on each connection",
        "scale": {"type": "log", "base": 2, "nice": False, "padding": 8},
        "axis": {"values": seen, "format": "d", "grid": False},
    }
