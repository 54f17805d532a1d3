"""The time left of a race that runs."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from race.plan.forecast import Plan
from race.plan.order import Kind, kind_of
from race.saved.model import Cell

FORECAST_SECONDS = 10.0
"""After so many seconds the race's own pace counts as much as the forecast."""


class Clock:
    """The countdown of a race: a cell takes what others of its kind took in this race.

    Kinds that have not run yet take what the plan says, times how much slower than the plan the
    race was so far.
    """

    def __init__(self, plan: Plan, done: Iterable[Cell] = ()) -> None:
        """`done` are the cells of a race that is resumed."""
        self._plan = plan
        self._left = plan.kinds()
        self._left.subtract(kind_of(cell.round, cell.label, cell.work) for cell in done)
        self._took: defaultdict[Kind, list[float]] = defaultdict(list)
        self._expected = 0.0
        self._again = 0
        self._began = self._last = time.monotonic()

    def did(self, cell: Cell) -> None:
        """Count a cell that was saved."""
        kind, now = kind_of(cell.round, cell.label, cell.work), time.monotonic()
        self._took[kind].append(now - self._last)
        self._left[kind] -= 1
        self._expected += self._plan.expected(cell.round, cell.load)
        self._last = now

    def again(self, cells: int) -> None:
        """Add cells that are measured again, on top of the planned ones."""
        self._again += cells

    def left(self, more: int = 0) -> float:
        """Return the seconds until the last cell is saved, with so many more than planned."""
        planned = sum(count * self._seconds(kind) for kind, count in self._left.items())
        planned += (self._again + more) * self._slower() * self._plan.usual()
        return max(0.0, planned - (time.monotonic() - self._last))

    def spent(self) -> float:
        """Return the seconds since the race began, or was resumed."""
        return time.monotonic() - self._began

    def _seconds(self, kind: Kind) -> float:
        took = self._took.get(kind)
        return fmean(took) if took else self._slower() * self._plan.expected_of(kind)

    def _slower(self) -> float:
        ran = self._last - self._began
        return (ran + FORECAST_SECONDS) / (self._expected + FORECAST_SECONDS)
