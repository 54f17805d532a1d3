"""Every cell of the race, to sort and to filter."""

from __future__ import annotations

from markupsafe import Markup

from race.analysis.model import Analysis
from race.analysis.values import cpu_us, workers
from race.report.charts.colours import palette
from race.report.fates import Fates
from race.report.template import filled
from race.saved.model import Cell


class Cells:
    """`chapters.Chapter`: one row for each cell."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Every cell"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        party = analysis.discipline.parties[0]
        return filled(
            "cells",
            analysis,
            cells=analysis.race.cells,
            cpu={party: cpu_us(party) for party in workers(analysis.discipline)},
            example=_example(analysis),
            fates=Fates(analysis),
            bound=lambda cell: _is_bound(cell, party),
        )


def _is_bound(cell: Cell, party: str) -> bool:
    """Whether its throughput is a lower bound: not `party` was full, as far as is known."""
    known = cell.throughput and cell.load.fills
    return bool(known) and cell.saturated != party


def _example(analysis: Analysis) -> str:
    """Words to filter by: a task, and something that contenders have in their names."""
    tasks = [analysis.discipline.headline, *analysis.discipline.tasks]
    return " ".join(filter(None, (next(filter(None, tasks), ""), *palette(analysis).hues[1:2])))
