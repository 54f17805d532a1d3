"""What was left out, what disturbed the race, and its own noise."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis.model import Analysis, Spread
from race.analysis.values import place
from race.report import format as words
from race.report.charts import plots
from race.report.charts.figures import Figure, ratio_figure
from race.report.fates import SPOKEN, Fates
from race.report.template import filled
from race.saved.model import CALIBRATION, Cell


@dataclass(frozen=True, slots=True)
class WarmUps:
    """Counted cells whose warm-up had windows to compare, and those where no two agreed."""

    known: int
    unsettled: int


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A share of the measured cores' time in words."""

    name: str
    text: str


class Validity:
    """`chapters.Chapter`: counts, disturbances, lost cells, the A/A twin."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "Validity and noise"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``."""
        return filled(
            "validity",
            analysis,
            noise=_noise(analysis),
            fates=Fates(analysis),
            spoken=SPOKEN,
            lost=_lost(analysis),
            warm_ups=_warm_ups(analysis),
            no_latency=sum(cell.no_latency is not None for cell in analysis.counted),
            disturbances=_disturbances(analysis),
        )


def _warm_ups(analysis: Analysis) -> WarmUps:
    agreed = [cell.warm_up.agreed for cell in analysis.counted if cell.warm_up]
    known = [one for one in agreed if one is not None]
    return WarmUps(len(known), known.count(False))


def _disturbances(analysis: Analysis) -> list[Disturbance]:
    """What took the measured cores' time: in cells that count, and before the race."""
    trust, idle = analysis.trust, analysis.race.head.idle
    found = [
        Disturbance("CPU time stolen from the machine", _spread(trust.steal, words.percent)),
        Disturbance("CPU time of other processes", _spread(trust.foreign, words.signed)),
    ]
    seconds = f" over {idle['seconds']:.1f} s" if "seconds" in idle else ""
    if "foreign" in idle:
        text = words.signed(idle["foreign"]) + seconds
        found.append(Disturbance("of other processes, before the race began", text))
    if "steal" in idle:
        text = words.percent(idle["steal"]) + seconds
        found.append(Disturbance("stolen, before the race began", text))
    return found


def _spread(found: Spread | None, shown: Callable[[float], str]) -> str:
    if found is None:
        return "not measured"
    return f"median {shown(found.median)}, from {shown(found.low)} to {shown(found.high)}"


def _noise(analysis: Analysis) -> Figure | None:
    """The A/A twin against its original at every task: what this race shows of nothing."""
    rows = [
        plots.ratio_row(comparison.place, comparison.noise.estimate, "var(--ink)")
        for comparison in analysis.closed()
        if comparison.noise and comparison.noise.measured_here
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
    """Cells that were not ok by reason, its figures aside: status, place, how many, the worst."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in analysis.race.cells:
        if cell.status != "ok" and cell.round != CALIBRATION:
            kind = re.sub(r"\d[\d.,]*", "#", cell.reason or "")
            groups.setdefault((cell.status, cell.label, cell.work, kind), []).append(cell)
    return [
        (one.status, _place(analysis, one), len(cells), one)
        for cells in groups.values()
        for one in (max(cells, key=_disturbed),)
    ]


def _disturbed(cell: Cell) -> float:
    """How much of its cores' time others took."""
    return (cell.steal or 0.0) + (cell.foreign or 0.0)


def _place(analysis: Analysis, cell: Cell) -> str:
    load = cell.load
    rate = "" if load.rate is None else f" at {load.rate:,.0f}/s"
    user_load = f" under the shape {load.user_load.shape}" if load.user_load else ""
    return place(analysis.discipline, cell.work) + rate + user_load
