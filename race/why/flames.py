"""A flame graph of the difference of two profiles: callers above, what they call below them.

A frame is as wide as the CPU time that it takes where it takes longer. It is red where the second
contender takes more time in it than the first, blue where it takes less (B. Gregg, "The Flame
Graph", CACM 59 (2016) 6, on differential ones).
"""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from race.report import format as words
from race.report.charts import svg
from race.report.charts.svg import Panel
from race.why.differences import Node

STEP, HEIGHT = 19, 18
LEAST = 0.004
"""The share of the whole width from which a frame is drawn."""
MORE, LESS = "var(--accent3)", "var(--accent1)"


def flames(root: Node, title: str, unit: str) -> Panel:
    """Return the panel; nothing of it moves, and each frame says its figures when pointed at."""
    whole = root.width or 1.0
    most = max((abs(one.second - one.first) for one in _all(root)), default=0.0) or 1.0
    drawn: list[Markup] = []
    deepest = 0
    waiting = [(root, 0.0, 0)]
    while waiting:
        node, left, depth = waiting.pop()
        drawn.append(_frame(node, left / whole, depth, (whole, most), unit))
        deepest = max(deepest, depth)
        for child in sorted(node.called.values(), key=lambda one: -one.width):
            if child.width >= LEAST * whole:
                waiting.append((child, left, depth + 1))
            left += child.width
    return Panel(title, (deepest + 1) * STEP, drawn)


def _all(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.called.values()
        yield node


def _frame(node: Node, left: float, depth: int, scale: tuple[float, float], unit: str) -> Markup:
    whole, most = scale
    change = node.second - node.first
    said = f"{node.name}: {words.number(node.first)} and {words.number(node.second)} us of {unit}"
    colour = {"fill": MORE if change > 0 else LESS, "opacity": f"{abs(change) / most:.2f}"}
    size = {"width": "100%", "height": HEIGHT}
    return svg.element(
        "svg",
        svg.element("title", said),
        svg.element("rect", fill="var(--band)", **size),
        svg.element("rect", **size, **colour),
        svg.element("text", node.name, x=4, y=13, font_size=11, fill="var(--ink)"),
        x=svg.percent(100 * left),
        width=svg.percent(100 * node.width / whole),
        y=depth * STEP,
        height=HEIGHT,
    )
