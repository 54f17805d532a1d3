"""The chapter of what was left out, what disturbed the race, and its own noise."""

from __future__ import annotations

from collections.abc import Callable

from race.analysis.model import Analysis, Spread
from race.report import format as words
from race.report.charts.figures import Figure, ratios
from race.report.charts.rows import Interval
from race.report.outcomes import EXPLAINED, Outcomes
from race.report.tables import more
from race.report.tables.attempts import attempts
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return counts, disturbances, lost cells, and the A/A twin."""
    return chapter(
        "Validity and noise",
        "validity",
        analysis,
        noise=_noise(analysis),
        outcomes=Outcomes(analysis),
        explained=EXPLAINED,
        lost=more.lost(analysis),
        attempts=attempts(analysis),
        warm_ups=_warm_ups(analysis),
        no_latency=sum(cell.no_latency is not None for cell in analysis.counted),
        disturbances=_disturbances(analysis),
    )


def _warm_ups(analysis: Analysis) -> tuple[int, int]:
    """Return the counted cells whose last two warm-up windows differed, of those with two."""
    agreed = [cell.warm_up.agreed for cell in analysis.counted if cell.warm_up]
    known = [one for one in agreed if one is not None]
    return known.count(False), len(known)


def _disturbances(analysis: Analysis) -> dict[str, str]:
    """Return what took the measured cores' time: in cells that count, and before the race."""
    trust, idle = analysis.trust, analysis.race.head.idle
    found = {
        "CPU time stolen from the machine": _spread(trust.steal, words.percent),
        "CPU time of other processes": _spread(trust.foreign, words.signed),
    }
    seconds = f" over {idle['seconds']:.1f} s" if "seconds" in idle else ""
    if "foreign" in idle:
        found["of other processes, before the race began"] = words.signed(idle["foreign"]) + seconds
    if "steal" in idle:
        found["stolen, before the race began"] = words.percent(idle["steal"]) + seconds
    return found


def _spread(found: Spread | None, shown: Callable[[float], str]) -> str:
    if found is None:
        return "not measured"
    return f"median {shown(found.median)}, from {shown(found.low)} to {shown(found.high)}"


def _noise(analysis: Analysis) -> Figure | None:
    """Return each A/A twin against its original at every task: the noise of this race."""
    rows = [
        Interval(
            one.place if len(one.twins) == 1 else f"{one.place}, {twin.twin}",
            str(twin.estimate),
            "var(--ink)",
            twin.estimate,
        )
        for one in analysis.closed()
        for twin in one.twins
    ]
    if not rows:
        return None
    who = analysis.discipline.contender
    several = any(len(one.twins) > 1 for one in analysis.closed())
    ran = f"Some {who}s ran" if several else f"One {who} ran"
    caption = (
        f"{ran} twice under two labels, so the true ratio is 1: the chart shows the race’s "
        "own noise, with 90 % intervals. The band is 3 %."
    )
    drawing = ratios(rows, 3.0, "The A/A twin against itself")
    return Figure(f"{words.a(who).capitalize()} against itself", caption, drawing)
