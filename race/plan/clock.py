"""The time left of a race that runs."""

from __future__ import annotations

import time
from collections.abc import Iterable

from race.plan.forecast import Plan
from race.saved.model import Cell

FORECAST_SECONDS = 10.0
"""So much of the race runs before its own pace counts as much as the forecast's."""


class Clock:
    """Counts down what the plan says of the cells that are left, at the pace of those that ran."""

    def __init__(self, plan: Plan, done: Iterable[Cell] = ()) -> None:
        """`done` are the cells of a race that is resumed."""
        self._plan = plan
        self._left = plan.seconds() - sum(plan.expected(one.round, one.load) for one in done)
        self._ran = 0.0
        self._began = self._last = time.monotonic()

    def did(self, cell: Cell) -> None:
        """A cell is saved."""
        expected = self._plan.expected(cell.round, cell.load)
        self._ran += expected
        self._left -= expected
        self._last = time.monotonic()

    def again(self, cells: int) -> None:
        """So many cells come on top of the planned ones."""
        self._left += cells * self._plan.usual()

    def left(self, more: int = 0) -> float:
        """Seconds until the last cell is saved, also of so many more than planned."""
        pace = (self._last - self._began + FORECAST_SECONDS) / (self._ran + FORECAST_SECONDS)
        planned = max(0.0, self._left) + more * self._plan.usual()
        return max(0.0, pace * planned - (time.monotonic() - self._last))

    def spent(self) -> float:
        """Seconds since the race began, or was resumed."""
        return time.monotonic() - self._began
