"""Bar charts of a race as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from race.analysis.model import Comparison, ContenderResult, Spread
from race.analysis.values import workers
from race.report import format as words
from race.report.charts.colours import Palette
from race.report.charts.marks import (
    LABELS,
    Row,
    colours,
    contenders,
    name_above,
    paint,
    panels,
    size_of_two,
)
from race.report.charts.vega import NARROW, WIDE, Spec

_BARE = {"grid": False, "labels": False, "ticks": False, "domain": False}


@dataclass(frozen=True, slots=True)
class _Panel:
    """Bars of one field; texts stand at the end of the field `far`."""

    field: str
    far: str
    title: str
    names: bool


def bars(comparison: Comparison, palette: Palette, narrow: bool) -> Spec:
    """Units/s with the range over rounds, and CPU time per unit of the party under test."""
    unit, party = comparison.discipline.unit, comparison.party
    rows = [_row(item, palette, party) for item in comparison.results if item.throughput]
    drawn = [rates(rows, f"{unit.capitalize()} per second", narrow)]
    if any(row["cpu"] for row in rows):
        title = f"{party.capitalize()} CPU, µs per {words.one(unit)}"
        drawn.append(_panel(_Panel("cpu", "cpu", title, False), rows, narrow))
    return {"data": {"values": rows}, **panels(drawn, narrow)}


def _row(item: ContenderResult, palette: Palette, party: str) -> Row:
    cpu = item.cpu_us.get(party)
    rate = rate_row(item.throughput, words.rate(item))
    return {**paint(item, palette), **rate, "cpu": cpu, "cpu_text": words.number(cpu)}


def rate_row(rate: Spread | None, text: str) -> Row:
    """What `rates` draws of a contender, beside its name and colours."""
    return {
        "rate": rate and rate.median,
        "low": rate and rate.low,
        "high": rate and rate.high,
        "rate_text": text,
    }


def rates(rows: Sequence[Row], title: str, narrow: bool) -> Spec:
    """A panel of bars with the range over rounds."""
    panel = _panel(_Panel("rate", "high", title, True), rows, narrow)
    whiskers = {
        "mark": {"type": "rule", "strokeWidth": 1.25, "opacity": 0.75},
        "encoding": {"x": _x("low"), "x2": {"field": "high"}, "y": _rows(rows, narrow, True)},
    }
    panel["layer"].insert(1, whiskers)
    return panel


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
        **size_of_two(narrow),
        "layer": [bar, text, name_above(y)] if narrow else [bar, text],
    }


def _rows(rows: Sequence[Row], narrow: bool, names: bool) -> Spec:
    return contenders((row["label"] for row in rows), narrow, names)


def _x(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": None, "axis": _BARE, "stack": None}


def shares(comparisons: Sequence[Comparison], palette: Palette, narrow: bool) -> Spec:
    """CPU microseconds per unit of every party but the generator, a panel for each task."""
    labels = [
        item.label for comparison in comparisons for item in comparison.results if item.cpu_us
    ]
    columns = min(3, len(comparisons))
    width = NARROW if narrow else (WIDE - LABELS) / columns - 28
    drawn = []
    for place, comparison in enumerate(comparisons):
        y = contenders(labels, narrow, names=place % columns == 0)
        rows = [
            row
            for item in comparison.results
            if item.cpu_us
            for row in _parts(item, palette, workers(comparison.discipline))
        ]
        drawn.append(
            {
                "title": comparison.place,
                "data": {"values": rows},
                "width": width,
                "height": {"step": 34 if narrow else 23},
                "layer": _stacked(rows, y, narrow),
            }
        )
    return panels(drawn, narrow, columns)


def _parts(item: ContenderResult, palette: Palette, parties: Sequence[str]) -> list[Row]:
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
