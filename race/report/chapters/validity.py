"""What was left out, what disturbed the race, and its own noise."""

from __future__ import annotations

import re

from markupsafe import Markup

from race.analysis.model import Analysis
from race.analysis.values import place
from race.report.charts import plots
from race.report.charts.figures import Figure, ratio_figure
from race.report.template import filled
from race.saved.model import Cell


class Validity:
    """`chapters.Chapter`: counts, disturbances, lost cells, the A/A twin."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Validity and noise"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        return filled("validity", analysis, noise=_noise(analysis), lost=_lost(analysis))


def _noise(analysis: Analysis) -> Figure | None:
    """The A/A twin against its original at every task: what this race shows of nothing."""
    rows = [
        plots.ratio_row(contest.place, contest.noise.estimate, "var(--ink)")
        for contest in analysis.closed()
        if contest.noise and contest.noise.measured_here
    ]
    if not rows:
        return None
    who = analysis.discipline.contender
    caption = (
        f"One {who} ran twice under two labels. The truth is 1; what the chart shows is the race's "
        "own noise, with 90 % intervals. The band is 3 %."
    )
    drawing = ratio_figure("noise", rows, 3.0, "The A/A twin against itself")
    return Figure(f"{_a(who)} against itself", caption, drawing)


def _a(who: str) -> str:
    return f"{'An' if who[:1] in 'aeiou' else 'A'} {who}"


def _lost(analysis: Analysis) -> list[tuple[str, str, int, Cell]]:
    """Failed and invalid cells by reason, its figures aside: status, place, how many, the first."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in analysis.race.cells:
        if cell.status != "ok":
            kind = re.sub(r"\d[\d.,]*", "#", cell.reason or "")
            groups.setdefault((cell.status, cell.label, cell.work, kind), []).append(cell)
    return [
        (cells[0].status, place(analysis.discipline, cells[0].work), len(cells), cells[0])
        for cells in groups.values()
    ]
