"""Units/s by pipeline depth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from race.analysis.model import Analysis, Comparison
from race.report import format as words
from race.report.charts import svg
from race.report.charts.colours import palette
from race.report.charts.figures import Figure, lines
from race.report.charts.lines import Across, Curve, curves
from race.report.charts.svg import Panel, Scale
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return curves of the tasks that ran at more than one depth."""
    figure = _figure(analysis)
    return chapter("Pipelining", "pipelining", analysis, figure=figure) if figure else None


def _figure(analysis: Analysis) -> Figure | None:
    by_task: dict[str, list[Comparison]] = defaultdict(list)
    for comparison in analysis.closed():
        by_task[comparison.work.task].append(comparison)
    tasks = [
        found
        for found in by_task.values()
        if len({_depth(one) for one in found}) > 1
        and any(item.throughput for one in found for item in one.results)
    ]
    panels = [_panel(analysis, found) for found in tasks]
    if not panels:
        return None
    unit = analysis.discipline.unit
    comparisons = [comparison for found in tasks for comparison in found]
    described = [
        f"{comparison.title}, {item.label}, depth {_depth(comparison)}: {words.rate(item)}"
        for comparison in comparisons
        for item in comparison.results
        if item.throughput
    ]
    heading = f"{unit.capitalize()} per second by pipeline depth"
    drawing = svg.drawing(panels, heading, "; ".join(described))
    caption = f"Both scales are logarithmic.{_bounds(comparisons)}"
    key = lines(comparisons, palette(analysis)).values()
    return Figure("", caption, drawing, tuple(key))


def _panel(analysis: Analysis, found: Sequence[Comparison]) -> Panel:
    known = {(item.label, _depth(one)): item for one in found for item in one.results}
    depths = sorted({_depth(one) for one in found})
    drawn = []
    for label, look in lines(found, palette(analysis)).items():
        each = [(depth, known.get((label, depth))) for depth in depths]
        points = [
            (depth, item.throughput.median) for depth, item in each if item and item.throughput
        ]
        bounds = {depth for depth, item in each if item and item.state == "at-least"}
        drawn.append(Curve(look, points, frozenset(bounds)))
    unit = analysis.discipline.unit
    scale = Scale(depths[0] / 1.15, depths[-1] * 1.15, log=True)
    across = Across(scale, f"{unit} in flight on each connection", depths)
    return curves(drawn, across, found[0].title, f"{unit}/s")


def _depth(comparison: Comparison) -> int:
    return comparison.work.load.pipeline


def _bounds(comparisons: Sequence[Comparison]) -> str:
    """Return the points that are lower bounds, in a sentence."""
    found = [
        f"{item.label} on {comparison.place}"
        for comparison in comparisons
        for item in comparison.results
        if item.state == "at-least" and item.throughput
    ]
    return f" At least (≥): {'; '.join(found)}." if found else ""
