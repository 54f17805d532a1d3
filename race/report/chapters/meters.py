"""What the meters saw that no other chapter shows."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.tables.more import meters
from race.report.template import filled


class Meters:
    """A chapter: a table of the other meters for each comparison."""

    def title(self, analysis: Analysis) -> str:
        return "Meters"

    def render(self, analysis: Analysis) -> Markup | None:
        tables = [table for one in analysis.comparisons if (table := meters(analysis, one))]
        return filled("meters", analysis, tables=tables) if tables else None
