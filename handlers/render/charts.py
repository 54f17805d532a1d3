"""The geometry of charts, in whole numbers so that every interpreter draws the same bytes.

``templates/reports/draw.html`` draws them. x grows to the right, y downwards.
"""

from __future__ import annotations

from typing import List, NamedTuple, Sequence, Tuple

WIDTH, HEIGHT = 640, 216
# The columns stand between these; the label of the highest is above, the ticks are below.
TOP, BASE = 24, 188
# The space on both sides for the ticks of the outermost columns.
MARGIN = 20
GAP = 4
TICK_LINE = 210

# The cells of a week: 24 hours in a row, a row for each day.
CELL_WIDTH, CELL_HEIGHT, CELL_GAP = 24, 26, 2
CELLS_LEFT, CELLS_BASE = 58, 182
SHADES = 5

LINE_WIDTH, LINE_HEIGHT = 120, 32
LINE_MARGIN = 2


class Box(NamedTuple):
    """A column or a cell, and its tooltip."""

    x: int
    y: int
    width: int
    height: int
    says: str
    shade: int = 0


class Tick(NamedTuple):
    """A label; x is its middle under columns, its end beside cells."""

    x: int
    y: int
    text: str


class Chart(NamedTuple):
    """Columns, and others behind them, on one scale; ``most`` is the highest value, 0 for none."""

    columns: List[Box]
    behind: List[Box]
    ticks: List[Tick]
    most: int


class Heat(NamedTuple):
    """Cells shaded from 0 (none) to SHADES (most), with the names of their rows and columns."""

    cells: List[Box]
    rows: List[Tick]
    ticks: List[Tick]


def columns(
    values: Sequence[int],
    says: Sequence[str],
    ticks: Sequence[Tuple[int, str]],
    behind: Sequence[int] = (),
) -> Chart:
    """Return a chart with a column for each value; a tick is the number of a column and a text."""
    most = max(0, *values, *behind)
    edges = _edges(len(values))
    marks = [
        Tick((edges[place] + edges[place + 1] - GAP) // 2, TICK_LINE, text) for place, text in ticks
    ]
    return Chart(_boxes(values, says, most), _boxes(behind, [""] * len(behind), most), marks, most)


def _edges(number: int) -> List[int]:
    """Return the left edges of the columns, and the right edge of the last."""
    return [MARGIN + (WIDTH - 2 * MARGIN) * place // number for place in range(number + 1)]


def _boxes(values: Sequence[int], says: Sequence[str], most: int) -> List[Box]:
    edges = _edges(len(values)) if values else []
    boxes = []
    for place, (value, text) in enumerate(zip(values, says)):
        left, right = edges[place], edges[place + 1]
        # Rounded up, so that a single vote is seen.
        height = -(-(BASE - TOP) * value // max(1, most))
        boxes.append(Box(left, BASE - height, max(1, right - left - GAP), height, text))
    return boxes


def heat(values: Sequence[int], says: Sequence[str], names: Sequence[str]) -> Heat:
    """Return a heat map with a row of 24 cells for each name."""
    most = max([1, *values])
    cells = []
    for place, (value, text) in enumerate(zip(values, says)):
        row, column = divmod(place, 24)
        x, y = CELLS_LEFT + CELL_WIDTH * column, CELL_HEIGHT * row
        shade = 1 + (SHADES - 1) * value // most if value else 0
        cells.append(Box(x, y, CELL_WIDTH - CELL_GAP, CELL_HEIGHT - CELL_GAP, text, shade))
    beside = [Tick(CELLS_LEFT - 10, CELL_HEIGHT * row + 18, name) for row, name in enumerate(names)]
    middle = CELLS_LEFT + (CELL_WIDTH - CELL_GAP) // 2
    below = [
        Tick(middle + CELL_WIDTH * hour, CELLS_BASE + 20, str(hour)) for hour in range(0, 24, 6)
    ]
    return Heat(cells, beside, below)


def line(values: Sequence[int]) -> str:
    """Return the points of a small line through the running sum of the values, from 0 on."""
    sums = [0]
    for value in values:
        sums.append(sums[-1] + value)
    lowest, span = min(sums), max(1, max(sums) - min(sums))
    width, height = LINE_WIDTH - 2 * LINE_MARGIN, LINE_HEIGHT - 2 * LINE_MARGIN
    points = []
    for place, value in enumerate(sums):
        x = LINE_MARGIN + width * place // (len(sums) - 1)
        y = LINE_MARGIN + height - height * (value - lowest) // span
        points.append(f"{x},{y}")
    return " ".join(points)
