"""Every cell of the race, to sort and to filter."""

from __future__ import annotations

from race.analysis.model import Analysis
from race.report.charts.colours import palette
from race.report.tables.cells import cells
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return one row for each cell."""
    return chapter(
        "Every cell", "cells", analysis, table=cells(analysis), example=_example(analysis)
    )


def _example(analysis: Analysis) -> str:
    """Return words to filter by: a task, and something that contenders have in their names."""
    tasks = [analysis.discipline.headline, *analysis.discipline.tasks]
    return " ".join(filter(None, (next(filter(None, tasks), ""), *palette(analysis).hues[1:2])))
