"""The chapter of CPU time, by party."""

from __future__ import annotations

import math

from race.analysis.model import Analysis, Comparison
from race.analysis.values import workers
from race.report import format as words
from race.report.charts import svg
from race.report.charts.colours import palette
from race.report.charts.figures import Figure, unpipelined
from race.report.charts.rows import Stack, stacks
from race.report.charts.svg import Panel
from race.report.template import ReportChapter, chapter

WORTH_SHOWING = 0.02
"""The share of the other parties, against the party under test, from which the chapter is shown."""


def render(analysis: Analysis) -> ReportChapter | None:
    """Return bars of CPU time by party."""
    first, *others = workers(analysis.discipline)
    found = [one for one in unpipelined(analysis) if _shared(one, first, others)]
    if not found:
        return None
    return chapter(
        " and ".join(workers(analysis.discipline)).capitalize(),
        "shares",
        analysis,
        figure=_figure(analysis, found),
        others=others,
    )


def _shared(comparison: Comparison, first: str, others: list[str]) -> bool:
    """Return whether anybody but the party under test takes a part that can be seen."""
    return any(
        item.cpu_us.get(party, 0) > WORTH_SHOWING * item.cpu_us.get(first, math.inf)
        for item in comparison.results
        for party in others
    )


def _figure(analysis: Analysis, comparisons: list[Comparison]) -> Figure:
    unit, parties = words.one(analysis.discipline.unit), workers(analysis.discipline)
    described = "; ".join(
        f"{comparison.place}, {item.label}: "
        + ", ".join(f"{party} {words.number(item.cpu_us.get(party))}" for party in parties)
        for comparison in comparisons
        for item in comparison.results
        if item.cpu_us
    )
    panels = [_panel(analysis, comparison, parties) for comparison in comparisons]
    title = f"CPU microseconds per {unit} of {' and '.join(parties)}"
    first, *others = parties
    grey = " and the ".join(others)
    caption = f"CPU microseconds per {unit}: the {first} in its colour, the {grey} in grey."
    return Figure("", caption, svg.drawing(panels, title, described))


def _panel(analysis: Analysis, comparison: Comparison, parties: list[str]) -> Panel:
    colours = palette(analysis)
    rows = [
        Stack(colours.look(item), [item.cpu_us.get(party, 0.0) for party in parties])
        for item in comparison.results
        if item.cpu_us
    ]
    return stacks(rows, comparison.place)
