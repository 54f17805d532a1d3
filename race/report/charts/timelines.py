"""What happened from second to second, contenders side by side, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from race.analysis.user_loads import Point, UserLoadResult
from race.report.charts.colours import Palette
from race.report.charts.marks import Row, panels
from race.report.charts.vega import NARROW, WIDE, Spec

AXIS = 62
"""Width kept for the values beside a panel."""
HEIGHT = 96
BAND = 0.22
"""Opacity of the range over rounds."""
ROOM = 1.06


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a moment: what it is called, and how many of its saved units it is shown in."""

    title: str
    unit: float = 1.0


@dataclass(frozen=True, slots=True)
class Timelines:
    """A row of panels for each figure, a column for each side; a row has one scale of values."""

    sides: Sequence[UserLoadResult]
    figures: Mapping[str, Figure]
    palette: Palette

    def drawn(self, narrow: bool) -> Spec:
        """The specification."""
        known = [name for name in self.figures if any(name in one.timelines for one in self.sides)]
        columns = len(self.sides)
        width = NARROW - AXIS if narrow else min(560, WIDE / columns - AXIS)
        found = [
            self._panel(name, side, width, self._title(name, side, narrow or name == known[0]))
            for name in known
            for side in self.sides
        ]
        return panels(found, narrow, columns)

    def _title(self, name: str, side: UserLoadResult, named: bool) -> Spec:
        """The contender stands above its column, and above each panel where all are in one."""
        title = self.figures[name].title
        if not named:
            return {"text": title, "color": "var(--muted)", "fontWeight": "normal"}
        return {"text": side.item.name, "subtitle": title, "subtitleColor": "var(--muted)"}

    def _panel(self, name: str, side: UserLoadResult, width: float, title: Spec) -> Spec:
        unit, colour = self.figures[name].unit, f"var(--{self.palette.accent(side.item)})"
        rows = [_row(point, unit) for point in side.timelines.get(name, [])]
        known = [point for one in self.sides for point in one.timelines.get(name, [])]
        most = max((point.high / unit for point in known), default=0.0) * ROOM or 1.0
        last = max((point.at for point in known), default=1.0)
        x = {
            "field": "at",
            "type": "quantitative",
            "title": None,
            "scale": {"domain": [0, last], "nice": False},
            "axis": {"tickCount": 4, "grid": False, "labelExpr": "datum.label + ' s'"},
        }
        y = {
            "type": "quantitative",
            "title": None,
            "scale": {"domain": [0, most], "nice": False},
            "axis": {"tickCount": 3, "format": ",~f", "domain": False},
        }
        between = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
        return {
            "title": title,
            "data": {"values": rows},
            "width": width,
            "height": HEIGHT,
            "layer": [
                {"mark": {"type": "area", "opacity": BAND, "color": colour}, "encoding": between},
                {
                    "mark": {"type": "line", "strokeWidth": 1.75, "color": colour},
                    "encoding": {"x": x, "y": {**y, "field": "mean"}},
                },
            ],
        }


def _row(point: Point, unit: float) -> Row:
    return {
        "at": point.at,
        "mean": point.mean / unit,
        "low": point.low / unit,
        "high": point.high / unit,
    }
