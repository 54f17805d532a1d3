"""What all charts share: a contender's colours and signs, its row, panels, ticks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from race.analysis.model import Comparison, ContenderResult
from race.report.charts.colours import Palette
from race.report.charts.vega import NARROW, WIDE, Spec

Row = dict[str, Any]

LABELS = 222  # width kept for contenders' names beside a wide chart
# Vega's name of a sign to the same sign as an SVG path, for the keys beside the charts.
SIGNS = {
    "circle": "M17 2a4 4 0 1 1 0 8a4 4 0 1 1 0-8z",
    "square": "M13.5 2.5h7v7h-7z",
    "diamond": "M17 1l4 5l-4 5l-4-5z",
    "triangle-up": "M17 1.5l4.5 8h-9z",
    "cross": "M15.5 2h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z",
    "triangle-down": "M17 10.5l-4.5-8h9z",
}
SHAPES = tuple(SIGNS)


def at_rate(comparison: Comparison) -> str:
    """The title of a panel: "Good at 2,000/s"."""
    rate = comparison.work.load.rate
    return comparison.title if rate is None else f"{comparison.title} at {rate:,.0f}/s"


def paint(result: ContenderResult, palette: Palette) -> Row:
    """Name and colours of a contender."""
    return {
        "label": result.label,
        "colour": f"var(--{palette.accent(result)})",
        "opacity": 0.6 if palette.pale(result) else 1,
    }


def lines(results: Iterable[ContenderResult], palette: Palette) -> dict[str, Row]:
    """Label to colour, dash and sign of a contender's line, no two alike up to six of one colour.

    Dashed is what is pale elsewhere; contenders of one colour and dash differ in the sign of their
    points.
    """
    found: dict[str, Row] = {}
    seen: Counter[tuple[str, bool]] = Counter()
    for item in sorted(results, key=lambda item: item.label):
        if item.label not in found:
            kind = palette.level(item), palette.pale(item)
            found[item.label] = {
                "label": item.label,
                "shape": SHAPES[seen[kind] % len(SHAPES)],
                "colour": f"var(--{palette.accent(item)})",
                "dash": [5, 3] if palette.pale(item) else [1, 0],
            }
            seen[kind] += 1
    return found


def contenders(labels: Iterable[str], narrow: bool, names: bool = True) -> Spec:
    """Rows from top to bottom as given; their names stand above the marks when narrow."""
    order = list(dict.fromkeys(labels))
    axis = {
        "labelColor": "var(--ink)",
        "labelFontSize": 12.5,
        "labelPadding": 8,
        "minExtent": LABELS,
        "maxExtent": LABELS,
    }
    return {
        "field": "label",
        "type": "nominal",
        "sort": order,
        "scale": {"domain": order},
        "title": None,
        "axis": axis if names and not narrow else None,
    }


def colours() -> Spec:
    """Rows name their own colour and opacity."""
    return {
        "color": {"field": "colour", "type": "nominal", "scale": None},
        "opacity": {"field": "opacity", "type": "quantitative", "scale": None},
    }


def name_above(y: Spec, offset: float = 0.0) -> Spec:
    """The name over its mark, for narrow charts."""
    return {
        "mark": {"type": "text", "align": "left", "dy": offset - 14, "color": "var(--ink)"},
        "encoding": {"x": {"value": 0}, "y": y, "text": {"field": "label"}},
    }


def size_of_two(narrow: bool) -> Spec:
    """Of one of two panels side by side, whose rows are the same."""
    width = NARROW if narrow else (WIDE - LABELS - 28) / 2
    return {"width": width, "height": {"step": 35 if narrow else 25}}


def panels(drawn: Sequence[Spec], narrow: bool, columns: int = 3) -> Spec:
    """Charts side by side, or one below the other when narrow."""
    return {"concat": list(drawn), "columns": 1 if narrow else columns, "align": "each"}


def ticks(low: float, high: float) -> list[float]:
    """Round numbers in a range of a log scale: 1, 2, 5, 10 over wide ones, even steps over narrow.

    Both ends are above zero.
    """
    if high / low >= 6:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        digits = (1, 2, 3, 5) if high / low < 20 else (1, 2, 5) if high / low < 200 else (1,)
        steps = [digit * 10.0**decade for decade in decades for digit in digits]
        return [step for step in steps if low <= step <= high]
    base = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = next(base * digit for digit in (1, 2, 5, 10) if (high - low) / (base * digit) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [round(place * step, 10) for place in range(first, math.floor(high / step + 1e-9) + 1)]
