"""Units/s by pipeline depth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from markupsafe import Markup

from race.analysis.model import Analysis, Contest
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
    contests = _at_several_depths(analysis)
    lines = contender_lines(contests, palette(analysis))
    rows: list[Row] = [
        {
            **lines[item.label],
            "panel": contest.title,
            "x": contest.work.load.pipeline,
            "y": item.throughput.median,
            "bound": item.state == "at-least",
        }
        for contest in contests
        for item in contest.standings
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
    caption = f"Both scales are logarithmic.{_bounds(contests)}"
    return Figure("", caption, drawing, tuple(lines.values()))


def _bounds(contests: Sequence[Contest]) -> str:
    """Points that are lower bounds, in a sentence."""
    found = [
        f"{item.label} on {contest.place}"
        for contest in contests
        for item in contest.standings
        if item.state == "at-least" and item.throughput
    ]
    return f" At least (≥): {'; '.join(found)}." if found else ""


def _at_several_depths(analysis: Analysis) -> list[Contest]:
    depths: dict[str, set[int]] = defaultdict(set)
    for contest in analysis.closed():
        depths[contest.work.task].add(contest.work.load.pipeline)
    return [contest for contest in analysis.closed() if len(depths[contest.work.task]) > 1]


def _axis(rows: list[Row], unit: str) -> Spec:
    seen = sorted({row["x"] for row in rows})
    return {
        "title": f"{unit} in flight on each connection",
        "scale": {"type": "log", "base": 2, "nice": False, "padding": 8},
        "axis": {"values": seen, "format": "d", "grid": False},
    }
