"""Every cell of the race, to sort and to filter."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.charts.colours import palette
from race.report.tables.cells import cells
from race.report.template import filled


class Cells:
    """A chapter: one row for each cell."""

    def title(self, analysis: Analysis) -> str:
        return "Every cell"

    def render(self, analysis: Analysis) -> Markup | None:
        return filled("cells", analysis, table=cells(analysis), example=_example(analysis))


def _example(analysis: Analysis) -> str:
    """Return words to filter by: a task, and something that contenders have in their names."""
    tasks = [analysis.discipline.headline, *analysis.discipline.tasks]
    return " ".join(filter(None, (next(filter(None, tasks), ""), *palette(analysis).hues[1:2])))
