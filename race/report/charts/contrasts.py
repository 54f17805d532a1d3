"""Every matched pair of a contrast, and their mean where they agree, as Vega-Lite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from race.report.charts.marks import LABELS, Row, contenders, name_above
from race.report.charts.plots import INTERVAL, PALE, band, ratio_axis, ratio_row, texts
from race.report.charts.vega import NARROW, WIDE, Spec
from race.stats.effects import Effect

STEP = 8
"""Pixels from one pair to the next; the mean stands above them."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One level against another: a line for each place, named; `margin` in percent."""

    lines: Sequence[tuple[str, Effect]]
    margin: float

    def drawn(self, narrow: bool) -> Spec:
        """The specification."""
        means = [_mean(place, effect) for place, effect in self.lines]
        slots = [
            [_pair(place, effect, slot) for place, effect in self.lines if slot < _count(effect)]
            for slot in range(max(_count(effect) for _, effect in self.lines))
        ]
        edge = 1 + self.margin / 100
        x = ratio_axis([row for rows in (means, *slots) for row in rows], edge)
        y = contenders((place for place, _ in self.lines), narrow)
        width = NARROW if narrow else WIDE - LABELS - 220
        top = -STEP * (len(slots) - 1) / 2 if len(slots) > 1 else 0.0
        layers = [band(x, edge), *_marks([row for row in means if row["drawn"]], x, y, top, True)]
        for place, rows in enumerate(slots, start=1):
            layers += _marks(rows, x, y, top + 4 + STEP * place, False) if len(slots) > 1 else []
        told = texts(y, width, narrow, top if narrow else 0.0)
        return {
            "data": {"values": means},
            "width": width,
            "height": {"step": (40 if narrow else 26) + STEP * len(slots) * (len(slots) > 1)},
            "layer": [*layers, told, name_above(y, top)] if narrow else [*layers, told],
        }


def told(effect: Effect) -> str:
    """The mean, or that there is none, and how likely pairs that agree are to differ so much."""
    text = str(effect.estimate) if effect.estimate else "pairs disagree"
    if _count(effect) < 2:
        return text
    p = effect.p_homogeneous
    return f"{text}, p {'< 0.001' if p < 0.001 else f'{p:.3f}' if p < 0.1 else f'{p:.2f}'}"


def _mean(place: str, effect: Effect) -> Row:
    """Without a mean only the words are drawn; the range of the pairs keeps them on the scale."""
    colour = "var(--accent)" if effect.direction else "var(--muted)"
    row = ratio_row(place, effect.estimate or effect.estimates[0], colour)
    return {**row, "text": told(effect), "drawn": effect.estimate is not None}


def _pair(place: str, effect: Effect, slot: int) -> Row:
    return ratio_row(place, effect.estimates[slot], "var(--ink)")


def _count(effect: Effect) -> int:
    return len(effect.estimates)


def _marks(rows: Sequence[Row], x: Spec, y: Spec, offset: float, large: bool) -> list[Spec]:
    width, opacity, size = (INTERVAL, PALE, 22) if large else (1, 1, 12)
    interval = {"type": "rule", "strokeWidth": width, "opacity": opacity, "yOffset": offset}
    point = {"type": "point", "filled": True, "size": size, "opacity": 1, "yOffset": offset}
    own = {"y": y, "color": {"field": "colour", "type": "nominal", "scale": None}}
    data = {"values": list(rows)}
    across = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **own}
    return [
        {"data": data, "mark": interval, "encoding": across},
        {"data": data, "mark": point, "encoding": {"x": x, **own}},
    ]
