"""Time limits of blocks of code: of a single block, and of all pages of a store together."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Any, Deque, Optional, Set, Tuple, Type

from data_interface.store import Busy, StoreError, Unavailable
from data_interface.timeouts import TIMEOUTS

# A timer that fires later than this shows that the process was stopped or its event loop blocked:
# answers of the database may have arrived that nobody has read yet.
LATE_SECONDS = 0.05
# A shared timer divides the time into this many ticks. A block may end up to two ticks early.
TICKS = 64

# From CPython 3.11 on a task counts how often it was cancelled.
COUNTED = hasattr(asyncio.Task, "cancelling")


class TimedBlock:
    """A block of a task that ends with ``Unavailable`` or ``Busy`` when its time is over.

    It does what ``asyncio.timeout`` does from CPython 3.11 on: it cancels the task of the block and
    turns the CancelledError into an error. A cancellation by somebody else stays one. Before
    CPython 3.11 a task does not count cancellations, so one that comes between ``expire`` and the
    task's next turn is taken for the time limit's.
    """

    __slots__ = ("_before", "_task", "expired", "queued")

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the block in the current task, which runs in this loop.

        The loop is an argument because CPython 3.7 makes a system call to find it.
        """
        self.expired = False
        # True while the block waits for others to return a connection: being late is ``Busy`` then.
        self.queued = False
        task: Any = asyncio.current_task(loop)
        self._task = task
        self._before = task.cancelling() if COUNTED else 0

    def expire(self) -> None:
        """End the block: its time is over."""
        self.expired = True
        self._task.cancel()

    def finish(self, error: Optional[BaseException]) -> None:
        """Raise the time limit's error in place of the block's, or return if that one stands."""
        # The task refers to the block, and the block to the task. The cycle is broken here, so that
        # the garbage collector need not find it.
        task, self._task = self._task, None
        if not self.expired or (COUNTED and task.uncancel() > self._before):
            return
        if isinstance(error, asyncio.CancelledError):
            raise self._refusal() from error

    def _refusal(self) -> StoreError:
        if self.queued:
            return Busy("No database connection became free in time.")
        return Unavailable("The database did not answer in time.")


class Deadline(TimedBlock):
    """``with Deadline(seconds):`` raises ``Unavailable`` if the block takes longer."""

    __slots__ = ("_loop", "_seconds", "_timer")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> Deadline:
        self._loop = asyncio.get_event_loop()
        self.begin(self._loop)
        self._timer: asyncio.Handle = self._loop.call_later(self._seconds, self._fired)
        return self

    def _fired(self) -> None:
        late = self._loop.time() - self._timer.when()  # type: ignore[attr-defined]  # a timer
        if late > LATE_SECONDS:
            self._timer = self._loop.call_later(TIMEOUTS.grace, self.expire)
        else:
            # An answer or a cancellation of the same turn of the loop comes first.
            self._timer = self._loop.call_soon(self.expire)

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._timer.cancel()
        self.finish(error)


Batch = Set[TimedBlock]


class SharedTimer:
    """One timer for any number of blocks with the same time; each gets 62/64 of it at least.

    A timer of its own would cost a page more than the rest of its time limit. Blocks that begin
    between two ticks form a batch, and at each tick the timer ends the batches whose time is over.
    It stops while there are no blocks. All blocks run in one event loop.
    """

    # The loop of the blocks, known after the first ``join``.
    loop: asyncio.AbstractEventLoop

    def __init__(self, seconds: float) -> None:
        self._tick = seconds / TICKS
        # A batch's time runs from its first tick, and must not outlast that of any of its blocks.
        self._seconds = seconds - self._tick
        self._stopped = True
        self._newest: Batch = set()
        # All batches with the time at which each began, the oldest first.
        self._batches: Deque[Tuple[float, Batch]] = deque()

    def join(self, block: TimedBlock) -> Batch:
        """Return the batch of a block that begins now. A block that is done discards itself."""
        if self._stopped:
            self._stopped = False
            self.loop = asyncio.get_event_loop()
            self._begin_batch(self.loop.time())
        self._newest.add(block)
        return self._newest

    def _begin_batch(self, now: float) -> None:
        self._newest = set()
        self._batches.append((now, self._newest))
        tick = now + self._tick
        self.loop.call_at(tick, self._on_tick, tick)

    def _on_tick(self, tick: float) -> None:
        now = self.loop.time()
        while self._batches and self._batches[0][0] + self._seconds <= now:
            batch = self._batches.popleft()[1]
            if now - tick > LATE_SECONDS:
                self.loop.call_later(TIMEOUTS.grace, _expire, batch)
            else:
                # As in ``Deadline``, events of the same turn of the loop come first.
                self.loop.call_soon(_expire, batch)
        if any(batch for _, batch in self._batches):
            self._begin_batch(now)
        else:
            self._batches.clear()
            self._stopped = True


def _expire(batch: Batch) -> None:
    for block in list(batch):
        block.expire()
