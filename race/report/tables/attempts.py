"""Shows the rejected cells of each contender, and the ratio that its first attempts would give."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from race.analysis.model import Analysis
from race.analysis.values import Values, rate, values
from race.report.table import COUNT, PERCENT, TEXT, Column, ColumnKind, ReportTable, fill
from race.saved.model import CALIBRATION, Cell, Limits

MULTIPLE = ColumnKind("{:.3f}×".format)
CAPTION = (
    "The last two columns are rates as multiples of the baseline's: of all first attempts, "
    "rejected or not, and of the cells that count. If they differ, rejections favoured a contender."
)


class Attempts(NamedTuple):
    """A contender's attempts; `by_first` and `counted` are its multiples of the baseline."""

    label: str
    measured: int
    foreign: int
    steal: int
    other: int
    at_first: float
    by_first: float | None
    counted: float | None


def attempts(analysis: Analysis) -> ReportTable:
    """Return the table of rejections, which must fall on all contenders alike."""
    head = analysis.race.head
    cells = [cell for cell in analysis.race.cells if cell.round != CALIBRATION]
    first: dict[object, Cell] = {}
    for cell in cells:
        first.setdefault((cell.round, cell.label, cell.work), cell)
    both = _rates(first.values()), _rates(analysis.counted)

    def row(label: str) -> Attempts:
        mine = [cell for cell in cells if cell.label == label]
        rejected = Counter(_reason(cell, head.limits) for cell in mine)
        tried = [cell for cell in first.values() if cell.label == label]
        by_first, counted = (_multiple(found, both, label, head.baseline) for found in both)
        return Attempts(
            label=label,
            measured=len(mine),
            foreign=rejected["foreign"],
            steal=rejected["steal"],
            other=rejected["other"],
            at_first=sum(cell.status == "ok" for cell in tried) / len(tried),
            by_first=by_first,
            counted=counted,
        )

    columns = (
        Column(analysis.discipline.contender, lambda one: one.label, TEXT),
        Column("measured", lambda one: one.measured, COUNT),
        Column("rejected: foreign CPU", lambda one: one.foreign, COUNT),
        Column("steal", lambda one: one.steal, COUNT),
        Column("other reasons", lambda one: one.other, COUNT),
        Column("ok at first", lambda one: one.at_first, PERCENT),
        Column("first attempts", lambda one: one.by_first, MULTIPLE),
        Column("cells that count", lambda one: one.counted, MULTIPLE),
    )
    labels = dict.fromkeys(cell.label for cell in cells)
    return fill("Attempts", columns, map(row, labels), CAPTION)


def _reason(cell: Cell, limits: Limits) -> str:
    """Return why a cell was rejected, "" if it was not; the machine's reasons go first."""
    if cell.status == "ok":
        return ""
    for name in ("foreign", "steal"):
        if (getattr(cell, name) or 0.0) > getattr(limits, name):
            return name
    return "other"


def _rates(cells: Iterable[Cell]) -> Values:
    """Return the rates of closed loops, from cells that were measured to their end."""
    whole = (cell for cell in cells if cell.load.closed and cell.status in ("ok", "invalid"))
    return values(whole, rate)


def _multiple(found: Values, both: Iterable[Values], label: str, base: str) -> float | None:
    """Return the geometric mean of the median ratios to `base` on the works that are in `both`."""
    logs = []
    for work, by_label in found.items():
        if all({label, base} <= one.get(work, {}).keys() for one in both):
            mine, other = by_label[label], by_label[base]
            ratios = [mine[number] - other[number] for number in mine.keys() & other.keys()]
            logs += [statistics.median(ratios)] if ratios else []
    return math.exp(statistics.fmean(logs)) if logs else None
