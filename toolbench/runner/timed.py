"""The timed loops: one worker for each connection, one reading of the clock for each operation."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Callable, List, NamedTuple, Sequence, Tuple

from toolbench.driver import Call

clock = time.perf_counter_ns

PATIENCE_SECONDS = 5.0
"""An operation that is under way when the time is up is waited for so long."""
MOST_FAULTS = 1000
"""After so many a worker has shown what there is to see."""
LONGEST = 200


class Worker:
    """Does one operation after the other. ``marks`` are readings of the clock: its begin, then the
    end of each operation; ``faults`` the places in it of those that failed, and how.
    """

    __slots__ = ("call", "faults", "marks")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.marks: List[int] = []
        self.faults: List[Tuple[int, str]] = []

    async def follow(self, nanoseconds: int) -> None:
        """Begin operations for so long."""
        call, note, now = self.call, self.marks.append, clock()
        until = now + nanoseconds
        note(now)
        while now < until:
            try:
                await call()
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
                if self.failed(error):
                    break
            now = clock()
            note(now)

    def work(self, nanoseconds: int) -> None:
        """The same, of a driver that blocks."""
        call, note, now = self.call, self.marks.append, clock()
        until = now + nanoseconds
        note(now)
        while now < until:
            try:
                call()
            except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
                if self.failed(error):
                    break
            now = clock()
            note(now)

    def failed(self, error: Exception) -> bool:
        """Note it; whether it is one too many."""
        if len(self.faults) >= MOST_FAULTS:
            return True
        self.faults.append((len(self.marks), in_a_line(error)))
        return False


class Driven(NamedTuple):
    """What the workers noted, and how many of them were still at it after ``PATIENCE_SECONDS``."""

    workers: Sequence[Worker]
    late: int


async def in_tasks(calls: Sequence[Call], seconds: float) -> Driven:
    """A task for each call."""
    workers = [Worker(call) for call in calls]
    tasks = [asyncio.create_task(worker.follow(round(seconds * 1e9))) for worker in workers]
    _, late = await asyncio.wait(tasks, timeout=seconds + PATIENCE_SECONDS)
    for task in late:
        task.cancel()
    if late:
        await asyncio.wait(late, timeout=1)
    for worker, task in zip(workers, tasks):
        if task not in late and (task.cancelled() or task.exception()):
            worker.faults.append((len(worker.marks), "its driver cancelled the worker"))
    return Driven(workers, len(late))


def in_threads(calls: Sequence[Call], seconds: float) -> Driven:
    """A thread for each call; they begin together, when all are there."""
    workers = [Worker(call) for call in calls]
    gate = threading.Event()

    def run(work: Callable[[int], None]) -> None:
        gate.wait()
        work(round(seconds * 1e9))

    threads = [threading.Thread(target=run, args=(one.work,), daemon=True) for one in workers]
    for thread in threads:
        thread.start()
    gate.set()
    deadline = time.monotonic() + seconds + PATIENCE_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return Driven(workers, sum(thread.is_alive() for thread in threads))


def in_a_line(error: BaseException) -> str:
    """An error as it is reported."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:LONGEST] if text else type(error).__name__
