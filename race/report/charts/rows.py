"""Charts with a row for each contender: bars, stacked bars, box plots, intervals of ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from markupsafe import Markup

from race.analysis.model import Spread
from race.report.charts import svg
from race.report.charts.colours import Look
from race.report.charts.svg import Panel, Scale
from race.stats.estimate import Estimate

STEP, NAME, MIDDLE = 39, 11, 23
"""Pixels from one row to the next; from its top to the base of its name, and to its marks."""
AXIS = 24
"""Pixels below the rows for the numbers of an axis."""
QUARTILES = (25.0, 50.0, 75.0)
THIN = 7
"""Pixels from one thin interval to the next."""
OTHER = "var(--accent3)"
"""The colour of thin intervals of other machines."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A contender's number, its text, and its range over rounds."""

    look: Look
    value: float
    text: str
    range: Spread | None = None


def bars(rows: Sequence[Bar], title: str) -> Panel:
    """Return a panel of bars with their texts at the end; the range is a thin line."""
    ends = [max(row.value, row.range.high if row.range else 0) for row in rows]
    scale = Scale(0, max(ends, default=1) * 1.25 or 1)
    drawn = []
    for number, (row, end) in enumerate(zip(rows, ends, strict=True)):
        top, far = number * STEP, scale.percent(end)
        y = top + MIDDLE
        drawn += [_name(row.look.short, top), _rectangle(row.look, 0, scale.percent(row.value), y)]
        if row.range:
            low, high = scale.percent(row.range.low), scale.percent(row.range.high)
            drawn.append(svg.across(low, high, y, class_="whisker"))
        drawn.append(svg.text(row.text, far, y + 4, dx=6))
    return Panel(title, len(rows) * STEP, drawn)


@dataclass(frozen=True, slots=True)
class Stack:
    """A contender's numbers, one behind the other: the first in its colour, the others in grey."""

    look: Look
    parts: Sequence[float]


def stacks(rows: Sequence[Stack], title: str) -> Panel:
    """Return a panel of stacked bars over an axis from 0."""
    scale = Scale(0, max(math.fsum(row.parts) for row in rows) * 1.02 or 1)
    height = len(rows) * STEP
    drawn = list(axis(scale, height, scale.ticks(3)))
    for number, row in enumerate(rows):
        drawn.append(_name(row.look.short, number * STEP))
        begin = 0.0
        for place, part in enumerate(row.parts):
            low, high = scale.percent(begin), scale.percent(begin + part)
            y = number * STEP + MIDDLE
            if place:
                grey = {"fill": "var(--rest)", "opacity": 1 / place}
                drawn.append(svg.bar(low, high, y, 12, **grey))
            else:
                drawn.append(_rectangle(row.look, low, high, y))
            begin += part
    return Panel(title, height + AXIS, drawn)


class BoxForm(NamedTuple):
    """The percentiles of a box plot beside the quartiles: the whiskers' ends, and the dots."""

    whiskers: tuple[float, float]
    dots: tuple[float, ...]


TAILS = BoxForm((1.0, 99.0), (99.9,))
WHOLE = BoxForm((0.0, 100.0), (90.0, 99.0, 99.99))
"""From the least to the longest."""


@dataclass(frozen=True, slots=True)
class LatencyBox:
    """A contender's times: `at` gives the microseconds of a percentile, None where not known."""

    look: Look
    at: Callable[[float], float | None]

    def milliseconds(self, percents: Sequence[float]) -> list[float]:
        """Return the times at ascending percentiles; one that is not known is as its neighbour."""
        known = [self.at(percent) for percent in percents]
        us, found = next(filter(None, known), 1.0), []
        for one in known:
            us = max(one or us, 1.0)
            found.append(us / 1e3)
        return found

    def dots(self, form: BoxForm) -> list[float]:
        """Return the times of the dots that are known."""
        return [max(us, 1.0) / 1e3 for percent in form.dots if (us := self.at(percent))]


def boxes(rows: Sequence[LatencyBox], title: str, form: BoxForm = TAILS) -> Panel:
    """Return a panel of quartiles, whiskers and dots over a log scale."""
    low, high = form.whiskers
    known = [row.milliseconds((low, *QUARTILES, high)) for row in rows]
    every = [ms for row, times in zip(rows, known, strict=True) for ms in (*times, *row.dots(form))]
    scale = Scale(min(every) / 1.1, max(every) * 1.1, log=True)
    height = len(rows) * STEP
    drawn = list(axis(scale, height, scale.ticks(), "{:,g} ms".format))
    for number, (row, times) in enumerate(zip(rows, known, strict=True)):
        top = number * STEP
        y, colour = top + MIDDLE, row.look.colour
        least, p25, p50, p75, most = (scale.percent(one) for one in times)
        dots = [svg.percent(scale.percent(one)) for one in row.dots(form)]
        drawn += [
            _name(row.look.short, top),
            svg.across(least, most, y, stroke=colour, stroke_width=1.25, opacity=row.look.opacity),
            _rectangle(row.look, p25, p75, y),
            svg.down(p50, y - 7, y + 7, class_="median"),
            *(svg.element("circle", cx=at, cy=y, r=2.5, fill=colour) for at in dots),
        ]
    return Panel(title, height + AXIS, drawn)


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio in a row of its own; `each` are the ratios that it is the mean of, `others` are those
    of other machines, and `frame` has the limits that were predicted.

    Without an `estimate` only the text stands there, and the others.
    """

    name: str
    text: str
    colour: str
    estimate: Estimate | None
    each: Sequence[Estimate] = field(default=())
    others: Sequence[Estimate] = field(default=())
    frame: tuple[float, float] | None = None

    @property
    def thin(self) -> Sequence[Estimate]:
        """The ratios that have thin lines."""
        return [*self.each, *self.others]

    @property
    def ends(self) -> Iterator[float]:
        """The limits of all that is drawn."""
        yield from self.frame or ()
        for one in (self.estimate, *self.thin):
            yield from _limits(one) if one else ()


def intervals(rows: Sequence[Interval], margin: float) -> Panel:
    """Return a panel of ratios on a log scale, with the margin (in percent) as a band around 1."""
    edge = 1 + margin / 100
    ends = [1 / edge, edge, *(end for row in rows for end in row.ends)]
    scale = Scale(min(ends) / 1.01, max(ends) * 1.01, log=True)
    below = [THIN * len(row.thin) for row in rows]
    height = STEP * len(rows) + sum(below)
    band = svg.bar(scale.percent(1 / edge), scale.percent(edge), height / 2, height, class_="band")
    drawn = [band, *axis(scale, height, scale.ticks(), "{:,g}×".format)]
    top = 0
    for row, more in zip(rows, below, strict=True):
        drawn += [_name(row.name, top, row.text), *_interval(row, scale, top + MIDDLE)]
        top += STEP + more
    return Panel("", height + AXIS, drawn)


def _interval(row: Interval, scale: Scale, y: float) -> Iterator[Markup]:
    """Return the interval of a row, with a line at its estimate; below it each thin one."""
    if row.frame:
        low, high = (scale.percent(one) for one in row.frame)
        height = 16 + THIN * len(row.thin)
        yield svg.bar(low, high, y - 8 + height / 2, height, rx=2, class_="frame")
    if row.estimate:
        low, high = (scale.percent(one) for one in _limits(row.estimate))
        yield svg.bar(low, high, y, 8, rx=2, fill=row.colour, opacity=0.45)
        middle = scale.percent(row.estimate.ratio)
        yield svg.down(middle, y - 8, y + 8, stroke=row.colour, stroke_width=2.5)
    for number, one in enumerate(row.thin, start=1):
        low, high = (scale.percent(limit) for limit in _limits(one))
        at, colour = y + 4 + THIN * number, OTHER if number > len(row.each) else None
        yield svg.across(low, high, at, class_="whisker", style=colour and f"stroke:{colour}")
        cx = svg.percent(scale.percent(one.ratio))
        yield svg.element("circle", cx=cx, cy=at, r=2.5 if colour else 2, fill=colour)


def _limits(estimate: Estimate) -> tuple[float, float]:
    """Return the limits of a ratio; without an interval both are the ratio."""
    if not estimate.bounded:
        return estimate.ratio, estimate.ratio
    return math.exp(estimate.low), math.exp(estimate.high)


def axis(
    scale: Scale,
    height: float,
    ticks: Sequence[float],
    text: Callable[[float], str] = "{:,g}".format,
) -> Iterator[Markup]:
    """Return vertical lines at round numbers, and the numbers below them."""
    for tick in ticks:
        place = scale.percent(tick)
        yield svg.down(place, 0, height, class_="grid")
        yield svg.tick(text(tick), place, height + 16)


def _name(label: str, top: float, more: str = "") -> Markup:
    """Return a row's name, with more text behind it, above its marks."""
    said = svg.element("tspan", more, class_="said", dx=8) if more else ""
    return svg.element("text", label, said, x=0, y=top + NAME)


def _rectangle(look: Look, low: float, high: float, y: float) -> Markup:
    return svg.bar(low, high, y, 12, rx=1.5, fill=look.colour, opacity=look.opacity)
