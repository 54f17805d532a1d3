"""Box plots and intervals of a race as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from race.analysis.model import Comparison
from race.report.charts.colours import Palette
from race.report.charts.marks import (
    LABELS,
    Row,
    at_rate,
    colours,
    contenders,
    name_above,
    paint,
    panels,
    ticks,
)
from race.report.charts.vega import NARROW, WIDE, Spec
from race.stats import histogram
from race.stats.estimate import Estimate

BOX = (1, 25, 50, 75, 99, 99.9)
INTERVAL, PALE = 8, 0.45
"""Width and opacity of an interval; its estimate is a tick, since a dot would hide a narrow one."""


def boxes(comparisons: Sequence[Comparison], palette: Palette, narrow: bool) -> Spec:
    """Box plots of latency: quartiles, whiskers to p1 and p99, a dot at p99.9; log scale."""
    found = [[item for item in comparison.results if item.histogram] for comparison in comparisons]
    labels = [item.label for results in found for item in results]
    columns = min(3, len(comparisons))
    width = NARROW if narrow else (WIDE - LABELS) / columns - 28
    drawn = []
    for place, (comparison, results) in enumerate(zip(comparisons, found, strict=True)):
        y = contenders(labels, narrow, names=place % columns == 0)
        rows = [
            {**paint(item, palette), **box(partial(histogram.percentile, item.histogram))}
            for item in results
        ]
        layers = box_layers(rows, y)
        drawn.append(
            {
                "title": at_rate(comparison),
                "data": {"values": rows},
                "width": width,
                "height": {"step": 34 if narrow else 23},
                "layer": [*layers, name_above(y)] if narrow else layers,
            }
        )
    return panels(drawn, narrow, columns)


def box(at: Callable[[float], float | None]) -> Row:
    """Milliseconds at the percentiles of a box plot, `at` gives microseconds; of p99.9 as p99_9.

    One that is not known lies where the one before it does.
    """
    found, us = {}, 1.0
    for percent in BOX:
        us = max(at(percent) or us, 1.0)
        found[f"p{percent:g}".replace(".", "_")] = us / 1e3
    return found


def box_layers(rows: Sequence[Row], y: Spec) -> list[Spec]:
    """Quartiles, whiskers to p1 and p99, a dot at p99.9; rows are those of `box`."""
    x = _milliseconds(rows)
    return [_span(x, "p1", "p99", y, 1), _span(x, "p25", "p75", y, 11), *_dots(x, y)]


def _milliseconds(rows: Sequence[Row]) -> Spec:
    low, high = min(row["p1"] for row in rows) / 1.1, max(row["p99_9"] for row in rows) * 1.1
    return {
        "type": "quantitative",
        "scale": {"type": "log", "domain": [low, high]},
        "axis": {"title": "ms", "values": ticks(low, high), "format": "~g", "domain": False},
    }


def _span(x: Spec, low: str, high: str, y: Spec, size: int) -> Spec:
    mark = {"type": "rule", "strokeWidth": 1.25} if size == 1 else {"type": "bar", "height": size}
    encoding = {"x": {**x, "field": low}, "x2": {"field": high}, "y": y, **colours()}
    return {"mark": mark, "encoding": encoding}


def _dots(x: Spec, y: Spec) -> list[Spec]:
    tick = {"type": "tick", "thickness": 2, "size": 15, "color": "var(--ink)"}
    dot = {"type": "point", "filled": True, "size": 18, "shape": "circle"}
    return [
        {"mark": tick, "encoding": {"x": {**x, "field": "p50"}, "y": y}},
        {"mark": dot, "encoding": {"x": {**x, "field": "p99_9"}, "y": y, **colours()}},
    ]


def ratios(rows: Sequence[Row], margin: float, narrow: bool) -> Spec:
    """Estimates with intervals on a log scale of ratios, and the margin (in percent) as a band.

    Rows are those of `ratio_row`.
    """
    edge = 1 + margin / 100
    x = ratio_axis(rows, edge)
    y = contenders((row["label"] for row in rows), narrow)
    width = NARROW if narrow else WIDE - LABELS - 150
    layers = [band(x, edge), *_intervals(x, y), texts(y, width, narrow)]
    return {
        "data": {"values": list(rows)},
        "width": width,
        "height": {"step": 36 if narrow else 26},
        "layer": [*layers, name_above(y)] if narrow else layers,
    }


def ratio_axis(rows: Sequence[Row], edge: float) -> Spec:
    """A log scale over all intervals and the band from 1 / `edge` to `edge`."""
    low = min(1 / edge, *(row["low"] for row in rows)) / 1.01
    high = max(edge, *(row["high"] for row in rows)) * 1.01
    axis = {
        "values": ticks(low, high),
        "format": "~g",
        "domain": False,
        "title": None,
        "labelExpr": "datum.label + '×'",
    }
    scale = {"type": "log", "domain": [low, high], "nice": False}
    return {"field": "ratio", "type": "quantitative", "axis": axis, "scale": scale}


def band(x: Spec, edge: float) -> Spec:
    """The margin around 1."""
    return {
        "data": {"values": [{"from": 1 / edge, "to": edge}]},
        "mark": {"type": "rect", "color": "var(--band)"},
        "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}},
    }


def _intervals(x: Spec, y: Spec) -> list[Spec]:
    colour = colours()["color"]
    interval = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": colour}
    rule = {"type": "rule", "strokeWidth": INTERVAL, "opacity": PALE}
    tick = {"type": "tick", "thickness": 2.5, "size": 2 * INTERVAL, "opacity": 1}
    return [
        {"mark": rule, "encoding": interval},
        {"mark": tick, "encoding": {"x": x, "y": y, "color": colour}},
    ]


def texts(y: Spec, width: float, narrow: bool, offset: float = 0.0) -> Spec:
    """The text of each row beside the chart, or above its mark when narrow."""
    above = offset - (14 if narrow else 0)
    text = {"type": "text", "align": "right" if narrow else "left", "dy": above}
    x = {"value": width + (0 if narrow else 14)}
    return {"mark": text, "encoding": {"x": x, "y": y, "text": {"field": "text"}}}


def ratio_row(label: str, estimate: Estimate, colour: str) -> Row:
    """A row for `ratios`; without an interval only the point is drawn."""
    found = estimate.as_json()
    return {
        "label": label,
        "ratio": found["ratio"],
        "low": found["low"] or found["ratio"],
        "high": found["high"] or found["ratio"],
        "text": str(estimate),
        "colour": colour,
    }
