"""Box plots, intervals and curves of a race as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence

from race.findings import Contest, Standing
from race.report.bars import LABELS, Row, colours, engines, name_above, paint
from race.report.vega import NARROW, WIDE, Spec
from race.stats import histogram
from race.stats.estimate import Estimate


def boxes(contests: Sequence[Contest], accents: dict[str, str], narrow: bool) -> Spec:
    """Box plots of latency: quartiles, whiskers to p1 and p99, a dot at p99.9; log scale."""
    rows = [
        {**paint(item, accents), "page": contest.title, **_box(item)}
        for contest in contests
        for item in contest.standings
        if item.histogram
    ]
    y = engines(rows, narrow)
    panels = []
    for place, contest in enumerate(contests):
        own = y if place == 0 or narrow else {**y, "axis": None}
        mine = [row for row in rows if row["page"] == contest.title]
        width = NARROW if narrow else (WIDE - LABELS - 30 * len(contests)) / len(contests)
        layers = [_span("p1", "p99", own, 1), _span("p25", "p75", own, 11), *_dots(own)]
        if narrow:
            layers.append(name_above(y))
        panels.append({"title": contest.title, "data": {"values": mine}, "width": width,
                       "height": {"step": 36 if narrow else 24}, "layer": layers})  # fmt: skip
    return {"vconcat" if narrow else "hconcat": panels}


def _box(standing: Standing) -> Row:
    """Milliseconds at the percentiles of a box plot; the field of p99.9 is p99_9."""
    found = {p: histogram.percentile(standing.histogram, p) for p in (1, 25, 50, 75, 99, 99.9)}
    return {f"p{p:g}".replace(".", "_"): (us or 0) / 1e3 for p, us in found.items()}


def _log_ms(field: str) -> Spec:
    axis = {"title": "ms", "tickCount": 4, "format": "~s", "domain": False}
    scale = {"type": "log", "nice": False, "zero": False, "padding": 6}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _span(low: str, high: str, y: Spec, size: int) -> Spec:
    mark = {"type": "rule", "strokeWidth": 1.25} if size == 1 else {"type": "bar", "height": size}
    return {
        "mark": mark,
        "encoding": {"x": _log_ms(low), "x2": {"field": high}, "y": y, **colours()},
    }


def _dots(y: Spec) -> list[Spec]:
    tick = {"type": "tick", "thickness": 2, "size": 15, "color": "var(--ink)"}
    dot = {"type": "point", "filled": True, "size": 18, "shape": "circle"}
    return [
        {"mark": tick, "encoding": {"x": _log_ms("p50"), "y": y}},
        {"mark": dot, "encoding": {"x": _log_ms("p99_9"), "y": y, **colours()}},
    ]


def ratios(rows: Sequence[Row], domain: tuple[float, float], margin: float, narrow: bool) -> Spec:
    """Estimates with intervals on a log scale of ratios, and the margin as a band around 1.

    Rows have `label`, `ratio`, `low`, `high`, `colour`, `opacity`, `text`.
    """
    band = [{"from": 1 / (1 + margin / 100), "to": 1 + margin / 100}]
    scale = {"type": "log", "domain": list(domain), "nice": False, "clamp": True}
    axis = {
        "tickCount": 6,
        "format": "~g",
        "domain": False,
        "title": None,
        "labelExpr": "datum.label + '×'",
    }
    x = {"field": "ratio", "type": "quantitative", "scale": scale, "axis": axis}
    y = engines(rows, narrow)
    layers: list[Spec] = [
        {"data": {"values": band}, "mark": {"type": "rect", "color": "var(--band)"},
         "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}}},
        {"mark": {"type": "rule", "strokeWidth": 3},
         "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, **colours()}},
        {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
         "encoding": {"x": x, "y": y, "color": colours()["color"]}},
    ]  # fmt: skip
    text = {"mark": {"type": "text", "align": "right", "dy": -15 if narrow else 0},
            "encoding": {"x": {"value": NARROW if narrow else WIDE - LABELS - 10}, "y": y,
                         "text": {"field": "text"}}}  # fmt: skip
    layers += [name_above(y), text] if narrow else [text]
    return {"data": {"values": list(rows)}, "width": NARROW if narrow else WIDE - LABELS - 10,
            "height": {"step": 38 if narrow else 26}, "layer": layers}  # fmt: skip


def ratio_row(label: str, estimate: Estimate, colour: str, loud: bool) -> Row:
    """A row for `ratios`; without an interval only the point is drawn."""
    found = estimate.as_json()
    return {
        "label": label,
        "ratio": found["ratio"],
        "low": found["low"] or found["ratio"],
        "high": found["high"] or found["ratio"],
        "text": str(estimate),
        "colour": colour if loud else "var(--muted)",
        "opacity": 1,
    }


def curves(rows: Sequence[Row], x: Spec, y: Spec, panels: Sequence[str], narrow: bool) -> Spec:
    """Lines with points, one panel for each of `panels` (the rows' `panel`), side by side.

    Rows have `panel`, `label`, `x`, `y`, `colour`, `dash` (a list of lengths).
    """
    drawn = []
    width = NARROW - 46 if narrow else WIDE / max(len(panels), 1) - 70
    for panel in panels:
        encoding = {
            "x": {"field": "x", "type": "quantitative", **x},
            "y": {"field": "y", "type": "quantitative", **y},
            "color": colours()["color"],
            "detail": {"field": "label"},
        }
        dash = {"strokeDash": {"field": "dash", "type": "nominal", "scale": None}}
        layers: list[Spec] = [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**encoding, **dash}},
        ]
        if any(row.get("dot") for row in rows):
            mark = {"type": "point", "filled": True, "size": 34, "opacity": 1}
            layers.append({"mark": mark, "encoding": encoding})
        mine = [row for row in rows if row["panel"] == panel]
        drawn.append({"title": panel, "data": {"values": mine}, "width": min(width, 460),
                      "height": 250, "layer": layers})  # fmt: skip
    return {"vconcat" if narrow else "hconcat": drawn}


def line(standing: Standing, accents: dict[str, str]) -> Row:
    """Colour and dash of a contender's line: dashed without uvloop."""
    loop = standing.engine.endswith("-uvloop")
    return {"label": standing.label, "colour": f"var(--{accents[standing.web]})",
            "dash": [1, 0] if loop else [5, 3]}  # fmt: skip
