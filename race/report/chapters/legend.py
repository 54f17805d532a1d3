"""How to read the report: what its words and signs mean."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report.legend import legend
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return what tasks, names and figures mean, in a line each."""
    groups = legend(analysis)
    return chapter("How to read this", "legend", analysis, groups=groups) if groups else None
