"""Bar charts of a race as Vega-Lite specifications, and what all charts share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from race.findings import Contest, Standing
from race.report import words
from race.report.vega import NARROW, WIDE, Spec

Row = dict[str, Any]
LABELS = 235  # width of the engines' names beside a wide chart


def paint(standing: Standing, accents: dict[str, str]) -> Row:
    """Name and colours of a contender: its framework's accent, paler without uvloop."""
    return {
        "label": standing.label,
        "colour": f"var(--{accents[standing.web]})",
        "opacity": 1 if standing.engine.endswith("-uvloop") else 0.6,
    }


def bars(contest: Contest, accents: dict[str, str], narrow: bool) -> Spec:
    """Requests/s with the range over rounds, and the server's CPU time per request."""
    rows = [
        {
            **paint(item, accents),
            "rps": item.rps.median,
            "low": item.rps.low,
            "high": item.rps.high,
            "rps_text": words.rate(item),
            "cpu": item.cpu_us.get("server"),
            "cpu_text": words.number(item.cpu_us.get("server")),
        }
        for item in contest.standings
        if item.rps
    ]
    whiskers = {
        "mark": {"type": "rule", "strokeWidth": 1.25, "opacity": 0.75},
        "encoding": {"x": _x("low", None), "x2": {"field": "high"}, "y": engines(rows, narrow)},
    }
    panels = [_bar_panel(rows, "rps", "requests per second", narrow, first=True)]
    panels[0]["layer"].insert(1, whiskers)
    if any(row["cpu"] for row in rows):
        panels.append(_bar_panel(rows, "cpu", "server CPU, µs per request", narrow, first=False))
    return {"data": {"values": rows}, "vconcat" if narrow else "hconcat": panels}


def _bar_panel(rows: Sequence[Row], field: str, title: str, narrow: bool, first: bool) -> Spec:
    most = max(row.get("high") or 0 if field == "rps" else row[field] or 0 for row in rows)
    scale = {"domain": [0, most * (1.25 if narrow else 1.22)]}
    y = engines(rows, narrow, names=first)
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2, "height": 13 if narrow else 15},
            "encoding": {"x": {**_x(field, title), "scale": scale}, "y": y, **colours()},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 6, "color": "var(--ink)"},
            "encoding": {
                "x": _x("high" if field == "rps" else field, None),
                "y": y,
                "text": {"field": f"{field}_text"},
            },
        },
    ]
    if narrow:
        layers.append(name_above(y))
    width = NARROW if narrow else (WIDE - LABELS - 30) / 2
    return {"width": width, "height": {"step": 38 if narrow else 25}, "layer": layers}


def _x(field: str, title: str | None) -> Spec:
    axis = {"grid": False, "labels": False, "ticks": False, "domain": False, "orient": "top"}
    return {"field": field, "type": "quantitative", "title": title,
            "axis": {**axis, "titleAnchor": "start", "titleColor": "var(--muted)"}}  # fmt: skip


def engines(rows: Sequence[Row], narrow: bool, names: bool = True) -> Spec:
    """Engines from top to bottom as ranked; their names stand above the bars when narrow."""
    axis = {"labelColor": "var(--ink)", "labelFontSize": 13, "labelPadding": 8}
    order = list(dict.fromkeys(row["label"] for row in rows))
    return {"field": "label", "type": "nominal", "sort": order, "title": None,
            "axis": axis if names and not narrow else None}  # fmt: skip


def colours() -> Spec:
    return {
        "color": {"field": "colour", "type": "nominal", "scale": None},
        "opacity": {"field": "opacity", "type": "quantitative", "scale": None},
    }


def name_above(y: Spec) -> Spec:
    return {
        "mark": {"type": "text", "align": "left", "dy": -15, "color": "var(--ink)"},
        "encoding": {"x": {"value": 0}, "y": y, "text": {"field": "label"}},
    }


def shares(contests: Sequence[Contest], accents: dict[str, str], narrow: bool) -> Spec:
    """CPU microseconds per request of web server and database, one panel for each page."""
    rows = [
        {**paint(item, accents), "opacity": 1 if part == "server" else 0.9, "page": contest.title,
         "part": part, "us": item.cpu_us.get(part, 0.0),
         "colour": f"var(--{accents[item.web]})" if part == "server" else "var(--database)"}
        for contest in contests
        for item in contest.standings
        for part in ("server", "database")
        if item.cpu_us
    ]  # fmt: skip
    y = engines(rows, narrow)
    panels = []
    for place, contest in enumerate(contests):
        mine = [row for row in rows if row["page"] == contest.title]
        axis = {"tickCount": 3, "format": ",.0f", "domain": False}
        x = {"field": "us", "type": "quantitative", "title": None, "stack": "zero", "axis": axis}
        layers: list[Spec] = [
            {
                "mark": {"type": "bar", "height": 13},
                "encoding": {
                    "x": x,
                    "y": y if place == 0 or narrow else {**y, "axis": None},
                    "order": {"field": "part", "sort": "descending"},
                    **colours(),
                },
            }
        ]
        if narrow:
            names = [row for row in mine if row["part"] == "server"]
            layers.append({"data": {"values": names}, **name_above(y)})
        width = NARROW if narrow else (WIDE - LABELS - 30 * len(contests)) / len(contests)
        panels.append({"title": contest.title, "data": {"values": mine}, "width": width,
                       "height": {"step": 36 if narrow else 24}, "layer": layers})  # fmt: skip
    return {"vconcat" if narrow else "hconcat": panels}
