"""Every cell of the race, to sort and to filter."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.analysis.values import cpu_us, workers
from race.report.charts.colours import palette
from race.report.template import filled
from race.saved.model import CALIBRATION, Cell


class Cells:
    """`chapters.Chapter`: one row for each cell."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Every cell"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        measures = {party: cpu_us(party) for party in workers(analysis.discipline)}
        cells = analysis.race.cells
        counted = {id(cell) for cell in analysis.counted}
        return filled(
            "cells",
            analysis,
            cells=cells,
            cpu=measures,
            twice=len({cell.pass_ for cell in cells}) > 1,
            example=_example(analysis),
            status=lambda cell: _status(cell, id(cell) in counted),
        )


def _status(cell: Cell, counts: bool) -> str:
    """The cell's own; what is ok and still does not count says why."""
    if cell.round == CALIBRATION:
        return "calibration"
    return "not counted" if cell.status == "ok" and not counts else cell.status


def _example(analysis: Analysis) -> str:
    """Words to filter by: a task, and something that contenders have in their names."""
    tasks = [analysis.discipline.headline, *analysis.discipline.tasks]
    return " ".join(filter(None, (next(filter(None, tasks), ""), *palette(analysis).hues[1:2])))
