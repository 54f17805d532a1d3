"""Bar charts of a race as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from race.analysis.model import Contest, Standing
from race.analysis.values import workers
from race.report import format as words
from race.report.charts.colours import Palette
from race.report.charts.marks import LABELS, Row, colours, contenders, name_above, paint, panels
from race.report.charts.vega import NARROW, WIDE, Spec

_BARE = {"grid": False, "labels": False, "ticks": False, "domain": False}


@dataclass(frozen=True, slots=True)
class _Panel:
    """Bars of one field; texts stand at the end of the field `far`."""

    field: str
    far: str
    title: str
    names: bool


def bars(contest: Contest, palette: Palette, narrow: bool) -> Spec:
    """Units/s with the range over rounds, and CPU time per unit of the party under test."""
    unit, party = contest.discipline.unit, contest.party
    rows = [_row(item, palette, party) for item in contest.standings if item.throughput]
    rates = _panel(_Panel("rate", "high", f"{unit.capitalize()} per second", True), rows, narrow)
    whiskers = {
        "mark": {"type": "rule", "strokeWidth": 1.25, "opacity": 0.75},
        "encoding": {"x": _x("low"), "x2": {"field": "high"}, "y": _rows(rows, narrow, True)},
    }
    rates["layer"].insert(1, whiskers)
    drawn = [rates]
    if any(row["cpu"] for row in rows):
        title = f"{party.capitalize()} CPU, µs per {words.one(unit)}"
        drawn.append(_panel(_Panel("cpu", "cpu", title, False), rows, narrow))
    return {"data": {"values": rows}, **panels(drawn, narrow)}


def _row(item: Standing, palette: Palette, party: str) -> Row:
    rate, cpu = item.throughput, item.cpu_us.get(party)
    return {
        **paint(item, palette),
        "rate": rate and rate.median,
        "low": rate and rate.low,
        "high": rate and rate.high,
        "rate_text": words.rate(item),
        "cpu": cpu,
        "cpu_text": words.number(cpu),
    }


def _panel(panel: _Panel, rows: Sequence[Row], narrow: bool) -> Spec:
    most = max(row[panel.far] or 0 for row in rows)
    y = _rows(rows, narrow, panel.names)
    x = {**_x(panel.field), "scale": {"domain": [0, most * 1.25]}}
    bar = {
        "mark": {"type": "bar", "cornerRadiusEnd": 2, "height": 12 if narrow else 15},
        "encoding": {"x": x, "y": y, **colours()},
    }
    text = {
        "mark": {"type": "text", "align": "left", "dx": 6},
        "encoding": {"x": _x(panel.far), "y": y, "text": {"field": f"{panel.field}_text"}},
    }
    return {
        "title": panel.title,
        "width": NARROW if narrow else (WIDE - LABELS - 28) / 2,
        "height": {"step": 35 if narrow else 25},
        "layer": [bar, text, name_above(y)] if narrow else [bar, text],
    }


def _rows(rows: Sequence[Row], narrow: bool, names: bool) -> Spec:
    return contenders((row["label"] for row in rows), narrow, names)


def _x(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": None, "axis": _BARE, "stack": None}


def shares(contests: Sequence[Contest], palette: Palette, narrow: bool) -> Spec:
    """CPU microseconds per unit of every party but the generator, a panel for each task."""
    labels = [item.label for contest in contests for item in contest.standings if item.cpu_us]
    columns = min(3, len(contests))
    width = NARROW if narrow else (WIDE - LABELS) / columns - 28
    drawn = []
    for place, contest in enumerate(contests):
        y = contenders(labels, narrow, names=place % columns == 0)
        rows = [
            row
            for item in contest.standings
            if item.cpu_us
            for row in _parts(item, palette, workers(contest.discipline))
        ]
        drawn.append(
            {
                "title": contest.place,
                "data": {"values": rows},
                "width": width,
                "height": {"step": 34 if narrow else 23},
                "layer": _stacked(rows, y, narrow),
            }
        )
    return panels(drawn, narrow, columns)


def _parts(item: Standing, palette: Palette, parties: Sequence[str]) -> list[Row]:
    """The party under test in the contender's colour, the others in greys."""
    return [
        {
            **paint(item, palette),
            **({"colour": "var(--rest)", "opacity": 1 / place} if place else {}),
            "part": place,
            "us": item.cpu_us.get(party, 0.0),
        }
        for place, party in enumerate(parties)
    ]


def _stacked(rows: Sequence[Row], y: Spec, narrow: bool) -> list[Spec]:
    axis = {"tickCount": 3, "format": ",.0f", "domain": False}
    x = {"field": "us", "type": "quantitative", "title": None, "stack": "zero", "axis": axis}
    encoding = {"x": x, "y": y, "order": {"field": "part", "sort": "ascending"}, **colours()}
    layers: list[Spec] = [{"mark": {"type": "bar", "height": 12}, "encoding": encoding}]
    if narrow:
        names = [row for row in rows if row["part"] == 0]
        layers.append({"data": {"values": names}, **name_above(y)})
    return layers
