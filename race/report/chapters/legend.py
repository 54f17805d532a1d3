"""The chapter that explains the words and signs of the report."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report.legend import legend
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return what tasks, names and figures mean, in a line each."""
    groups = legend(analysis)
    return chapter("How to read this", "legend", analysis, groups=groups) if groups else None
