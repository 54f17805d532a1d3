"""Every contender's rank at every task."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.sentences import matrix, slug, strongest
from race.report.template import filled


class Glance:
    """`chapters.Chapter`: a matrix of ranks and multiples of the baseline."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "At a glance"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        closed = analysis.closed()
        if not closed:
            return None
        columns = [(slug(comparison), comparison) for comparison in closed]
        results = (item for comparison in closed for item in comparison.results)
        return filled(
            "glance",
            analysis,
            columns=columns,
            rows=matrix(closed),
            strongest=strongest(analysis),
            bounded=any(item.state == "at-least" for item in results),
        )
