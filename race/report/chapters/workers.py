"""The chapter of workers: how the rate of a contender grows with the number of its processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

from race.analysis.model import Analysis, Comparison
from race.analysis.scaling.curves import Scaling, own_name, scalings
from race.analysis.scaling.law import FARTHEST
from race.report import format as words
from race.report.charts import svg
from race.report.charts.colours import SIGNS, Look, palette
from race.report.charts.figures import Figure
from race.report.charts.lines import Across, Curve, curves
from race.report.charts.svg import Panel, Scale
from race.report.table import ReportTable
from race.report.tables import workers as tables
from race.report.template import ReportChapter, chapter

NO_SIGN = "M0 0"
IDEAL = Look("so many times one worker", "so many times one worker", "var(--rest)", pale=True)
STEPS = 20
"""The points of a projection's line."""


@dataclass(frozen=True, slots=True)
class WorkerSection:
    """One task: its knees and every point."""

    title: str
    load: str
    knees: ReportTable
    points: ReportTable


def render(analysis: Analysis) -> ReportChapter | None:
    """Return efficiency, knees and shares where contenders ran with several numbers of workers."""
    found = [(one, scalings(analysis, one)) for one in analysis.closed()]
    found = [(comparison, scaled) for comparison, scaled in found if scaled]
    if not found:
        return None
    every = [one for _, scaled in found for one in scaled]
    return chapter(
        "Workers",
        "workers",
        analysis,
        figure=_figure(analysis, found),
        crowded=min((p.workers for one in every for p in one.points if p.crowded), default=None),
        projected=any(one.law for one in every),
        farthest=FARTHEST,
        sections=[_section(analysis, comparison, scaled) for comparison, scaled in found],
    )


def _section(analysis: Analysis, comparison: Comparison, found: Sequence[Scaling]) -> WorkerSection:
    return WorkerSection(
        comparison.place,
        comparison.load,
        tables.knees(analysis, comparison, found),
        tables.points(analysis, comparison, found),
    )


def _figure(
    analysis: Analysis, found: Sequence[tuple[Comparison, Sequence[Scaling]]]
) -> Figure | None:
    known = [(one, [each for each in scaled if each.points[0].speedup]) for one, scaled in found]
    known = [(one, scaled) for one, scaled in known if scaled]
    if not known:
        return None
    looks = _looks(analysis, [each for _, scaled in known for each in scaled])
    described = [
        f"{comparison.place}, {each.name}, {words.plural(point.workers, 'worker')}: {point.speedup}"
        for comparison, scaled in known
        for each in scaled
        for point in each.points[1:]
    ]
    panels = [_panel(comparison, scaled, looks) for comparison, scaled in known]
    drawing = svg.drawing(panels, "Speed-up by the number of workers", "; ".join(described))
    key = (*looks.values(), replace(IDEAL, sign=NO_SIGN))
    return Figure("", _caption(known), drawing, key)


def _looks(analysis: Analysis, found: Sequence[Scaling]) -> dict[str, Look]:
    """Return the line of each contender, by the label that it has with one worker."""
    colours = palette(analysis)
    ones = {each.points[0].item.label: each.points[0].item for each in found}
    looks = map(colours.look, ones.values())
    return {
        look.label: replace(look, short=own_name(look.short), pale=False, sign=sign)
        for look, sign in zip(looks, cycle(SIGNS), strict=False)
    }


def _caption(found: Sequence[tuple[Comparison, Sequence[Scaling]]]) -> str:
    text = "The rate over that of one worker; both scales are logarithmic."
    if any(
        point.item.state == "at-least" for _, each in found for one in each for point in one.points
    ):
        text += " ≥: something else was the limit."
    if any(one.law for _, each in found for one in each):
        text += " Dashed, beyond the points: the projection."
    return text


def _panel(comparison: Comparison, found: Sequence[Scaling], looks: dict[str, Look]) -> Panel:
    numbers = sorted({point.workers for one in found for point in one.points})
    farthest = max([numbers[-1], *(one.law.farthest for one in found if one.law)])
    ideal = Curve(replace(IDEAL, sign=NO_SIGN), [(1, 1.0), (numbers[-1], float(numbers[-1]))])
    drawn = [ideal, *(curve for one in found for curve in _curves(one, looks))]
    between = [number for number in numbers if number < 9 or number in (16, 32)]
    ticks = sorted({*between, numbers[-1], farthest})
    across = Across(Scale(1 / 1.05, farthest * 1.05, log=True), "workers", ticks)
    return curves(drawn, across, comparison.place, "speed-up")


def _curves(scaling: Scaling, looks: dict[str, Look]) -> Iterator[Curve]:
    """Yield the line of measured points, and that of the projection beyond them."""
    look = looks[scaling.points[0].item.label]
    known = [(one.workers, one.speedup.ratio) for one in scaling.points if one.speedup]
    bounds = {one.workers for one in scaling.points if one.item.state == "at-least"}
    yield Curve(look, known, frozenset(bounds))
    law = scaling.law
    if law:
        grown = law.farthest / law.fitted_to
        steps = [law.fitted_to * grown ** (step / STEPS) for step in range(STEPS + 1)]
        line = [(workers, law.speedup(workers)) for workers in steps]
        yield Curve(replace(look, pale=True, sign=NO_SIGN), line)
