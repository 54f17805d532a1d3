"""Lines over a scale as Vega-Lite specifications."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from race.report.charts.marks import Row, colours, panels, ticks
from race.report.charts.vega import NARROW, WIDE, Spec


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines with points over `x`, a panel for each value of the rows' `panel`; y is a log scale.

    Rows have `panel`, `x`, `y` and what `marks.lines` gives a contender; those with a true `bound`
    are marked as lower bounds. `lost` rows have no `y`: each is a cross at the top of every panel.
    """

    rows: Sequence[Row]
    x: Spec
    title: str
    lost: Sequence[Row] = ()

    def drawn(self, narrow: bool) -> Spec:
        """The specification."""
        names = list(dict.fromkeys(row["panel"] for row in self.rows))
        columns = min(len(names), 3)
        width = NARROW - 48 if narrow else min(560, WIDE / columns - 66)
        return panels([self._panel(name, width) for name in names], narrow, columns)

    def _panel(self, name: str, width: float) -> Spec:
        mine = [row for row in self.rows if row["panel"] == name]
        encoding = {
            "x": {"field": "x", "type": "quantitative", **self.x},
            "y": self._y(mine),
            "color": colours()["color"],
            "detail": {"field": "label"},
        }
        dash = {"strokeDash": {"field": "dash", "type": "nominal", "scale": None}}
        shape = {"shape": {"field": "shape", "type": "nominal", "scale": None}}
        line = {"type": "line", "strokeWidth": 1.75}
        sign = {"type": "point", "filled": True, "size": 44, "opacity": 1}
        layers = [
            {"mark": line, "encoding": {**encoding, **dash}},
            {"mark": sign, "encoding": {**encoding, **shape}},
        ]
        if bounds := [row for row in mine if row.get("bound")]:
            layers.append(_bounds(bounds, encoding))
        if self.lost:
            layers.append(_crosses(self.lost, encoding))
        data = {"values": mine}
        return {"title": name, "data": data, "width": width, "height": 250, "layer": layers}

    def _y(self, rows: Sequence[Row]) -> Spec:
        low, high = min(row["y"] for row in rows) / 1.15, max(row["y"] for row in rows) * 1.15
        form = ",~g" if high < 1000 else "~s"
        return {
            "field": "y",
            "type": "quantitative",
            "title": self.title,
            "scale": {"type": "log", "domain": [low, high]},
            "axis": {"values": ticks(low, high), "format": form, "domain": False},
        }


def _bounds(rows: Sequence[Row], encoding: Spec) -> Spec:
    """A sign above each point that is a lower bound."""
    return {
        "data": {"values": list(rows)},
        "mark": {"type": "text", "text": "≥", "dy": -11, "fontWeight": "bold"},
        "encoding": {name: encoding[name] for name in ("x", "y", "color")},
    }


def _crosses(lost: Sequence[Row], encoding: Spec) -> Spec:
    """Contenders of one place side by side, so that none hides another."""
    seen: Counter[float] = Counter()
    rows = []
    for row in lost:
        rows.append({**row, "y": 8 + 14 * seen[row["x"]]})
        seen[row["x"]] += 1
    return {
        "data": {"values": rows},
        "mark": {"type": "text", "text": "✕", "fontSize": 13, "fontWeight": "bold"},
        "encoding": {
            "x": encoding["x"],
            "y": {"field": "y", "type": "quantitative", "scale": None, "axis": None},
            "color": encoding["color"],
        },
    }
