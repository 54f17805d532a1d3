"""Bar charts of a race as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence

from race.analysis.model import Contest
from race.report import format as words
from race.report.charts.marks import LABELS, Row, colours, engines, name_above, paint, panels
from race.report.charts.vega import NARROW, WIDE, Spec

_BARE = {"grid": False, "labels": False, "ticks": False, "domain": False}


def bars(contest: Contest, accents: dict[str, str], narrow: bool) -> Spec:
    """Requests/s with the range over rounds, and the server's CPU time per request."""
    rows = [
        {**paint(item, accents), "rps": item.rps.median, "low": item.rps.low, "high": item.rps.high,
         "rps_text": words.rate(item), "cpu": item.cpu_us.get("server"),
         "cpu_text": words.number(item.cpu_us.get("server"))}
        for item in contest.standings
        if item.rps
    ]  # fmt: skip
    rates = _panel(rows, "rps", "Requests per second", narrow, names=True)
    whiskers = {
        "mark": {"type": "rule", "strokeWidth": 1.25, "opacity": 0.75},
        "encoding": {"x": _x("low"), "x2": {"field": "high"}, "y": _rows(rows, narrow, True)},
    }
    rates["layer"].insert(1, whiskers)
    drawn = [rates]
    if any(row["cpu"] for row in rows):
        drawn.append(_panel(rows, "cpu", "Server CPU, µs per request", narrow, names=False))
    return {"data": {"values": rows}, **panels(drawn, narrow)}


def _panel(rows: Sequence[Row], field: str, title: str, narrow: bool, names: bool) -> Spec:
    most = max(row["high"] if field == "rps" else row[field] or 0 for row in rows)
    y = _rows(rows, narrow, names)
    text_at = "high" if field == "rps" else field
    bar = {
        "mark": {"type": "bar", "cornerRadiusEnd": 2, "height": 12 if narrow else 15},
        "encoding": {
            "x": {**_x(field), "scale": {"domain": [0, most * 1.25]}}, "y": y, **colours()
        },
    }  # fmt: skip
    text = {
        "mark": {"type": "text", "align": "left", "dx": 6},
        "encoding": {"x": _x(text_at), "y": y, "text": {"field": f"{field}_text"}},
    }
    width = NARROW if narrow else (WIDE - LABELS - 28) / 2
    return {"title": title, "width": width, "height": {"step": 35 if narrow else 25},
            "layer": [bar, text, name_above(y)] if narrow else [bar, text]}  # fmt: skip


def _rows(rows: Sequence[Row], narrow: bool, names: bool) -> Spec:
    return engines((row["label"] for row in rows), narrow, names)


def _x(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": None, "axis": _BARE, "stack": None}


def shares(contests: Sequence[Contest], accents: dict[str, str], narrow: bool) -> Spec:
    """CPU microseconds per request of web server and database, one panel for each page."""
    labels = [item.label for contest in contests for item in contest.standings if item.cpu_us]
    columns = min(3, len(contests))
    drawn = []
    for place, contest in enumerate(contests):
        y = engines(labels, narrow, names=place % columns == 0)
        rows = [
            {**paint(item, accents), "part": part, "us": item.cpu_us.get(part, 0.0),
             **({"colour": "var(--database)", "opacity": 1} if part == "database" else {})}
            for item in contest.standings
            for part in ("server", "database")
            if item.cpu_us
        ]  # fmt: skip
        axis = {"tickCount": 3, "format": ",.0f", "domain": False}
        x = {"field": "us", "type": "quantitative", "title": None, "stack": "zero", "axis": axis}
        order = {"field": "part", "sort": "descending"}
        layers: list[Spec] = [
            {"mark": {"type": "bar", "height": 12},
             "encoding": {"x": x, "y": y, "order": order, **colours()}},
        ]  # fmt: skip
        if narrow:
            names = [row for row in rows if row["part"] == "server"]
            layers.append({"data": {"values": names}, **name_above(y)})
        width = NARROW if narrow else (WIDE - LABELS) / columns - 28
        drawn.append({"title": contest.title, "data": {"values": rows}, "width": width,
                      "height": {"step": 34 if narrow else 23}, "layer": layers})  # fmt: skip
    return panels(drawn, narrow, columns)
