"""One time limit for a unit of work, on every interpreter of the server."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Optional, Type

from data_interface.store import Busy, StoreError, Unavailable

# A page answers 503 within 2 s while the database is away or hangs: its waits, its connect and its
# requests have this together, and a late loop the rest.
UNIT_SECONDS = 1.75
# A timer that comes later than this found a process that was itself stopped, or a loop that was
# blocked: what the database said meanwhile has yet to be read.
LATE_SECONDS = 0.05
GRACE_SECONDS = 0.2

# Whether a task counts how often it was asked to end: from CPython 3.11 on.
COUNTED = hasattr(asyncio.Task, "cancelling")

SILENT = "The database did not answer in time."
CROWDED = "No database connection became free in time."


class Deadline:
    """``with Deadline(seconds):`` raises ``Unavailable`` where the block takes longer.

    What ``asyncio.timeout`` does, which CPython has from 3.11 on: the block's task is cancelled and
    its CancelledError turned into an error. A cancellation from outside stays one; before CPython
    3.11, where a task does not count them, one that comes in the turn of the loop between the
    limit's and the task's own is taken for the limit's.
    """

    __slots__ = ("_before", "_loop", "_seconds", "_task", "_timer", "crowded", "struck")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # Whether the time was over before the block was.
        self.struck = False
        # Set while the block waits for others to give a connection back: too late is ``Busy`` then.
        self.crowded = False

    def start(self) -> None:
        """The time begins; in the task whose block this is."""
        self._loop = asyncio.get_event_loop()
        task: Any = asyncio.current_task(self._loop)
        self._task = task
        self._before = task.cancelling() if COUNTED else 0
        self._timer: asyncio.Handle = self._loop.call_later(self._seconds, self._due)

    def _due(self) -> None:
        late = self._loop.time() - self._timer.when()  # type: ignore[attr-defined]  # a timer
        if late > LATE_SECONDS:
            self._timer = self._loop.call_later(GRACE_SECONDS, self._strike)
        else:
            # An answer or a cancellation that came in the same turn of the loop goes first.
            self._timer = self._loop.call_soon(self._strike)

    def _strike(self) -> None:
        self.struck = True
        self._task.cancel()

    def stop(self, error: Optional[BaseException]) -> None:
        """The block ended with that error; raise what a deadline makes of it, or return."""
        self._timer.cancel()
        # The task refers to the block, and the block to this: nothing of a page waits for the
        # garbage collector. japronto's worker dies where that ends one of its answers.
        task, self._task = self._task, None
        if not self.struck or (COUNTED and task.uncancel() > self._before):
            return
        if isinstance(error, asyncio.CancelledError):
            raise self.refusal() from error

    def refusal(self) -> StoreError:
        """What the one who waited is told."""
        return Busy(CROWDED) if self.crowded else Unavailable(SILENT)

    def __enter__(self) -> Deadline:
        self.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop(error)
