"""Every contender's rank at every task."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.sentences import strongest
from race.report.tables.ranking import glance
from race.report.template import filled


class Glance:
    """A chapter: a matrix of ranks and multiples of the baseline."""

    def title(self, analysis: Analysis) -> str:
        return "At a glance"

    def render(self, analysis: Analysis) -> Markup | None:
        closed = analysis.closed()
        if not closed:
            return None
        results = (item for comparison in closed for item in comparison.results)
        return filled(
            "glance",
            analysis,
            table=glance(analysis),
            strongest=strongest(analysis),
            bounded=any(item.state == "at-least" for item in results),
        )
