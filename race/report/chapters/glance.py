"""Every contender's rank at every task."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report.sentences import strongest
from race.report.tables.ranking import glance
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return a matrix of ranks and multiples of the baseline."""
    closed = analysis.closed()
    if not closed:
        return None
    results = (item for comparison in closed for item in comparison.results)
    return chapter(
        "At a glance",
        "glance",
        analysis,
        table=glance(analysis),
        strongest=strongest(analysis),
        bounded=any(item.state == "at-least" for item in results),
    )
