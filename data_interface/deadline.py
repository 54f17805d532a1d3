"""Time limits of blocks: one for a single block, one for all units of work of a store together."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Any, Deque, Optional, Set, Tuple, Type

from data_interface.store import Busy, StoreError, Unavailable

# A page answers 503 within 2 s while the database is away or hangs: its waits, its connect and its
# requests have this together, and a late loop the rest.
UNIT_SECONDS = 1.75
# A timer that comes later than this found a process that was itself stopped, or a loop that was
# blocked: what the database said meanwhile has yet to be read.
LATE_SECONDS = 0.05
GRACE_SECONDS = 0.2
# Into how many ticks a timer that is shared divides the time: a block may end two of them early.
TICKS = 64

# Whether a task counts how often it was asked to end: from CPython 3.11 on.
COUNTED = hasattr(asyncio.Task, "cancelling")

SILENT = "The database did not answer in time."
CROWDED = "No database connection became free in time."


class Limited:
    """A block of a task that ends with ``Unavailable`` or ``Busy`` when somebody strikes it.

    What ``asyncio.timeout`` does, which CPython has from 3.11 on: the block's task is cancelled and
    its CancelledError turned into an error. A cancellation from outside stays one; before CPython
    3.11, where a task does not count them, one that comes in the turn of the loop between the
    limit's and the task's own is taken for the limit's.
    """

    __slots__ = ("_before", "_task", "crowded", "struck")

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the task whose block this is, and that runs in this loop.

        CPython 3.7 asks the kernel which process this is where it must find the loop itself.
        """
        # Whether the time was over before the block was.
        self.struck = False
        # Set while the block waits for others to give a connection back: too late is ``Busy`` then.
        self.crowded = False
        task: Any = asyncio.current_task(loop)
        self._task = task
        self._before = task.cancelling() if COUNTED else 0

    def strike(self) -> None:
        """The time is over."""
        self.struck = True
        self._task.cancel()

    def settle(self, error: Optional[BaseException]) -> None:
        """The block ended with that error; raise what a limit makes of it, or return."""
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


class Deadline(Limited):
    """``with Deadline(seconds):`` raises ``Unavailable`` where the block takes longer."""

    __slots__ = ("_loop", "_seconds", "_timer")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> Deadline:
        self._loop = asyncio.get_event_loop()
        self.begin(self._loop)
        self._timer: asyncio.Handle = self._loop.call_later(self._seconds, self._due)
        return self

    def _due(self) -> None:
        late = self._loop.time() - self._timer.when()  # type: ignore[attr-defined]  # a timer
        if late > LATE_SECONDS:
            self._timer = self._loop.call_later(GRACE_SECONDS, self.strike)
        else:
            # An answer or a cancellation that came in the same turn of the loop goes first.
            self._timer = self._loop.call_soon(self.strike)

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._timer.cancel()
        self.settle(error)


Round = Set[Limited]


class Rounds:
    """One timer for any number of blocks that have the same time: 62/64 of it at least.

    A timer for each costs a page more than all else that its limit needs: the loop makes, sorts and
    closes it. Here those who begin between two ticks are a round, and the timer looks which rounds
    are over; it rests while nobody is in any. All blocks are in one event loop.
    """

    def __init__(self, seconds: float) -> None:
        self._tick = seconds / TICKS
        # Of a round, from its first tick: it must not be over later than any block's time.
        self._seconds = seconds - self._tick
        self._resting = True
        # Where all blocks are, once there was one.
        self.loop: asyncio.AbstractEventLoop
        # Those who begin now; all rounds, with when each began, the oldest first.
        self._newest: Round = set()
        self._rounds: Deque[Tuple[float, Round]] = deque()

    def join(self, block: Limited) -> Round:
        """The round of a block that begins now; who is done leaves it (``discard``)."""
        if self._resting:
            self._resting = False
            self.loop = asyncio.get_event_loop()
            self._open(self.loop.time())
        self._newest.add(block)
        return self._newest

    def _open(self, now: float) -> None:
        self._newest = set()
        self._rounds.append((now, self._newest))
        tick = now + self._tick
        self.loop.call_at(tick, self._turn, tick)

    def _turn(self, tick: float) -> None:
        now = self.loop.time()
        while self._rounds and self._rounds[0][0] + self._seconds <= now:
            self._end(self._rounds.popleft()[1], late=now - tick > LATE_SECONDS)
        if any(blocks for _, blocks in self._rounds):
            self._open(now)
        else:
            self._rounds.clear()
            self._resting = True

    def _end(self, blocks: Round, late: bool) -> None:
        if late:
            self.loop.call_later(GRACE_SECONDS, _strike, blocks)
        else:
            # As in ``Deadline``: what came in the same turn of the loop goes first.
            self.loop.call_soon(_strike, blocks)


def _strike(blocks: Round) -> None:
    for block in list(blocks):
        block.strike()
