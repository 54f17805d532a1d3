"""Every result of the closed loop in one picture: bars by task, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from race.analysis import values
from race.analysis.model import Analysis, Comparison, ContenderResult, Spread
from race.report import format as words
from race.report.charts import svg
from race.report.charts.colours import palette
from race.report.charts.groups import Group, groups
from race.report.charts.rows import Bar
from race.report.template import ReportChapter, chapter
from race.stats.processes import RoundValues

APART = 2.5
"""Tasks whose best rates differ by a larger factor are drawn on scales of their own."""


def render(analysis: Analysis) -> ReportChapter | None:
    """Return the picture of a race that has several tasks or loads."""
    comparisons = [one for one in analysis.closed() if any(item.throughput for item in one.results)]
    if len(comparisons) < 2:
        return None
    return chapter(
        "All results in one picture",
        "picture",
        analysis,
        drawing=_drawing(analysis, comparisons),
        bounded=any(item.state == "at-least" for one in comparisons for item in one.results),
        enough=all(one.enough for one in comparisons),
    )


def _drawing(analysis: Analysis, comparisons: Sequence[Comparison]) -> Markup:
    unit = analysis.discipline.unit
    found = [(one, _group(analysis, one)) for one in comparisons]
    panels = [
        groups(panel, f"{unit.capitalize()} per second")
        for panel in alike([group for _, group in found])
    ]
    described = "; ".join(
        f"{one.place}, {bar.look.label}: {bar.text}" for one, group in found for bar in group.bars
    )
    return svg.drawing(panels, f"{unit.capitalize()} per second by task", described, columns=2)


def alike(found: Sequence[Group]) -> list[list[Group]]:
    """Return the groups that one scale serves together, in their order."""
    panels: list[list[Group]] = []
    for group in found:
        for panel in panels:
            ends = [group.end, *(one.end for one in panel)]
            if max(ends) <= APART * min(ends):
                panel.append(group)
                break
        else:
            panels.append([group])
    return panels


def _group(analysis: Analysis, comparison: Comparison) -> Group:
    """Return the bars of a comparison, in the order of the scenario."""
    places = {one.label: place for place, one in enumerate(analysis.race.head.contenders)}
    rates = values.values(analysis.counted, values.rate).get(comparison.work, {})
    items = sorted(comparison.results, key=lambda item: places.get(item.label, len(places)))
    look = palette(analysis).look
    bars = [
        Bar(look(item), value, text, interval(comparison, item, rates.get(item.label, {})))
        for item in items
        for value, text in [_rate(item)]
    ]
    return Group(comparison.place, bars)


def _rate(item: ContenderResult) -> tuple[float, str]:
    """Return a rate with its text; without one, why there is none."""
    if item.throughput is None:
        return 0.0, item.state
    bound = "≥ " if item.state == "at-least" else ""
    return item.throughput.median, bound + words.short(item.throughput.median)


def interval(comparison: Comparison, item: ContenderResult, rates: RoundValues) -> Spread | None:
    """Return a median rate with its 95 % interval; with too few rounds, with its range.

    `rates` are logarithms. The variance that processes keep is known of ratios, and so of two
    processes: one has half of it.
    """
    found = comparison.kept.of_mean(2).estimate(rates)
    if item.throughput is None or found is None or not found.bounded:
        return item.throughput
    return Spread(item.throughput.median, math.exp(found.low), math.exp(found.high))
