"""Every contender's rank at every task."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report.sentences import strongest
from race.report.tables.pair import pair
from race.report.tables.ranking import about_glance, glance
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return a matrix of ranks and multiples of the baseline."""
    if not analysis.closed():
        return None
    return chapter(
        "At a glance",
        "glance",
        analysis,
        table=glance(analysis),
        both=pair(analysis),
        text=about_glance(analysis),
        marked=strongest(analysis) is not None,
    )
