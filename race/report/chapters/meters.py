"""The chapter of meters that no other chapter shows."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report.tables.more import meters
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return a table of the other meters for each comparison."""
    tables = [table for one in analysis.comparisons if (table := meters(analysis, one))]
    return chapter("Meters", "meters", analysis, tables=tables) if tables else None
