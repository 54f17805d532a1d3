"""Charts of lines: figures over a scale, and over the seconds of a cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from race.analysis.user_loads import Point
from race.report.charts import svg
from race.report.charts.colours import Look
from race.report.charts.rows import AXIS
from race.report.charts.svg import Panel, Scale

LEFT = 52
"""Pixels kept for the numbers of a vertical axis."""
HEIGHT, LOW = 250, 96
"""Pixels of a panel of curves, and of a timeline."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A contender's points; those of `bounds` are lower bounds, those of `lost` have no value.

    `colours` are those of signs that have another colour than the line.
    """

    look: Look
    points: Sequence[tuple[float, float]]
    bounds: frozenset[float] = frozenset()
    lost: Sequence[float] = ()
    colours: Mapping[float, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Across:
    """The horizontal axis of curves: its scale, title, and numbers with their texts."""

    scale: Scale
    title: str
    ticks: Sequence[float]
    text: Callable[[float], str] = field(default=lambda tick: f"{tick:,g}")


def curves(
    found: Sequence[Curve],
    across: Across,
    title: str,
    note: str,
    band: Sequence[tuple[float, float, float]] = (),
) -> Panel:
    """Return a panel of lines with a sign at each point; the vertical scale is logarithmic.

    `band` has points of x, the lower and the upper end of y; it lies behind the lines.
    """
    heights = [y for curve in found for _, y in curve.points]
    heights += [y for _, *ends in band for y in ends]
    scale = Scale(min(heights) / 1.15, max(heights) * 1.15, log=True)
    drawn = [*_values(scale, HEIGHT), *_axis(across)]
    lines = [_band(band, across.scale, scale)] if len(band) > 1 else []
    lines += [_line(curve, across.scale, scale) for curve in found if curve.points]
    drawn.append(svg.stretched(HEIGHT, *lines))
    for curve in found:
        drawn += _signs(curve, across.scale, scale)
    drawn += _crosses(found, across.scale)
    return Panel(title, HEIGHT + AXIS + 18, drawn, LEFT, note)


def _band(band: Sequence[tuple[float, float, float]], across: Scale, scale: Scale) -> Markup:
    def edge(end: int) -> list[tuple[float, float]]:
        return [(across.percent(one[0]), 100 - scale.percent(one[end])) for one in band]

    return svg.area([*edge(1), *reversed(edge(2))], fill="currentColor", opacity=0.12)


def _line(curve: Curve, across: Scale, scale: Scale) -> Markup:
    points = ((across.percent(x), 100 - scale.percent(y)) for x, y in curve.points)
    look = curve.look
    return svg.line(points, stroke=look.colour, stroke_dasharray=look.dash, class_="curve")


def _signs(curve: Curve, across: Scale, scale: Scale) -> Iterator[Markup]:
    """Return a sign at each point, with “≥” above those that are lower bounds."""
    look = curve.look
    for x, y in curve.points:
        left, top = across.percent(x), HEIGHT * (1 - scale.percent(y) / 100)
        yield svg.shape(look.sign, left, top, fill=curve.colours.get(x, look.colour))
        if x in curve.bounds:
            yield svg.text("≥", left, top - 8, class_="mark", fill=look.colour)


def _crosses(found: Sequence[Curve], across: Scale) -> Iterator[Markup]:
    """Return a cross for each lost point, one below the other so that none hides another."""
    seen: Counter[float] = Counter()
    for curve in found:
        for x in curve.lost:
            seen[x] += 1
            y, colour = 14 * seen[x], curve.look.colour
            yield svg.text("✕", across.percent(x), y, class_="mark", fill=colour)


def timeline(
    found: Mapping[Look, Sequence[Point]],
    title: str,
    unit: float,
    note: str = "",
    ends: tuple[float, float] | None = None,
) -> Panel:
    """Return a panel of the means over rounds of contenders; both scales begin at 0.

    With `ends`, the last second and the most of the figure, it is one of a row of low panels with
    the same scales, and has the range over rounds as a band. `unit` divides the numbers.
    """
    every = [point for points in found.values() for point in points]
    last, most = ends or (max(one.at for one in every), max(one.mean for one in every))
    across, scale = Scale(0, last or 1), Scale(0, most / unit * 1.06 or 1)
    height = LOW if ends else HEIGHT

    def places(points: Sequence[Point], name: str) -> list[tuple[float, float]]:
        return [
            (across.percent(one.at), 100 - scale.percent(getattr(one, name) / unit))
            for one in points
        ]

    lines = []
    for look, points in found.items():
        if ends:
            edges = [*places(points, "low"), *reversed(places(points, "high"))]
            lines.append(svg.area(edges, fill=look.colour, opacity=0.22))
        dash = None if ends else look.dash
        mean = places(points, "mean")
        lines.append(svg.line(mean, stroke=look.colour, stroke_dasharray=dash, class_="curve"))
    seconds = Across(across, "", across.ticks(), lambda tick: f"{tick:g} s")
    drawn = [*_values(scale, height), *_axis(seconds, height), svg.stretched(height, *lines)]
    return Panel(title, height + AXIS, drawn, LEFT, note)


def _values(scale: Scale, height: float) -> Iterator[Markup]:
    """Return horizontal lines at round numbers, and the numbers beside them."""
    for tick in scale.ticks(3):
        y = height * (1 - scale.percent(tick) / 100)
        yield svg.across(0, 100, y, class_="grid")
        yield svg.text(_short(tick), 0, y + 4, dx=-8, class_="value")


def _axis(across: Across, height: float = HEIGHT) -> Iterator[Markup]:
    for tick in across.ticks:
        place = across.scale.percent(tick)
        yield svg.down(place, height, height + 5, class_="grid")
        yield svg.tick(across.text(tick), place, height + 18)
    if across.title:
        yield svg.tick(across.title, 50, height + 36)


def _short(number: float) -> str:
    """Return a number of an axis: 0.5, 300, 20k, 1.5M."""
    for limit, unit in ((1e6, "M"), (1e4, "k")):
        if number >= limit:
            return f"{number / (1e3 if unit == 'k' else limit):g}{unit}"
    return f"{number:,g}"
