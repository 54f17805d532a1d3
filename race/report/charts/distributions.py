"""Bars of a rate with box plots of latency beside them, a row for each contender."""

from __future__ import annotations

from collections.abc import Sequence

from race.report.charts.bars import rates
from race.report.charts.marks import Row, contenders, name_above, panels, size_of_two
from race.report.charts.plots import box_layers
from race.report.charts.vega import Spec

LATENCY = "Latency"


def beside(rows: Sequence[Row], title: str, narrow: bool) -> Spec:
    """Rows have what `marks.paint`, `bars.rate_row` and `plots.box` give; `title` is the bars'."""
    drawn = [rates(rows, title, narrow), _boxes(rows, narrow)]
    return {"data": {"values": list(rows)}, **panels(drawn, narrow)}


def _boxes(rows: Sequence[Row], narrow: bool) -> Spec:
    y = contenders((row["label"] for row in rows), narrow, names=False)
    layers = box_layers(rows, y)
    layers += [name_above(y)] if narrow else []
    return {"title": LATENCY, **size_of_two(narrow), "layer": layers}
