"""Where the CPU time of a task goes."""

from __future__ import annotations

import math

from markupsafe import Markup

from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.values import workers
from race.report import format as words
from race.report.charts import bars, vega
from race.report.charts.colours import palette
from race.report.charts.figures import Figure, unpipelined
from race.report.template import filled

WORTH_SHOWING = 0.02
"""Of the CPU time of the party under test: what the others take at least, somewhere."""


class Shares:
    """`chapters.Chapter`: bars of CPU time by party."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return " and ".join(workers(analysis.discipline)).capitalize()

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        first, *others = workers(analysis.discipline)
        found = [
            comparison for comparison in unpipelined(analysis) if _shared(comparison, first, others)
        ]
        if not found:
            return None
        figure = _figure(analysis, found)
        return filled("shares", analysis, figure=figure, others=others)


def _shared(comparison: Comparison, first: str, others: list[str]) -> bool:
    """Whether anybody but the party under test takes a part that can be seen."""
    return any(
        item.cpu_us.get(party, 0) > WORTH_SHOWING * item.cpu_us.get(first, math.inf)
        for item in comparison.results
        for party in others
    )


def _figure(analysis: Analysis, comparisons: list[Comparison]) -> Figure:
    unit, parties = words.one(analysis.discipline.unit), workers(analysis.discipline)
    text = "; ".join(
        f"{comparison.place}, {item.label}: {_told(item, parties)}"
        for comparison in comparisons
        for item in comparison.results
        if item.cpu_us
    )
    colours = palette(analysis)
    drawing = vega.figure(
        "shares",
        lambda narrow: bars.shares(comparisons, colours, narrow),
        f"CPU microseconds per {unit} of {' and '.join(parties)}",
        text,
    )
    first, *others = parties
    grey = " and the ".join(others)
    caption = f"CPU microseconds per {unit}: the {first} in its colour, the {grey} in grey."
    return Figure("", caption, drawing)


def _told(item: ContenderResult, parties: list[str]) -> str:
    return ", ".join(f"{party} {words.number(item.cpu_us.get(party))}" for party in parties)
