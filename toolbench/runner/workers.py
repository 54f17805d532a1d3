"""The measured loops: each worker reads the clock once for each operation."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Callable, List, NamedTuple, Sequence, Tuple

from toolbench.driver import Call

clock = time.perf_counter_ns

MOST_FAULTS = 1000
"""A worker stops after this many errors."""
LONGEST_ERROR = 200


class TimedWorker:
    """Does one operation after the other.

    ``marks`` are readings of the clock: when the worker began, then the end of each operation.
    ``faults`` are the operations that failed: the place of the end in ``marks``, and the error.
    """

    __slots__ = ("call", "faults", "marks")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.marks: List[int] = []
        self.faults: List[Tuple[int, str]] = []

    async def work_async(self, nanoseconds: int) -> None:
        """Start operations of an asynchronous driver until the time is up."""
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
        """Start operations of a driver that blocks until the time is up."""
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
        """Note an error; return whether there were too many."""
        if len(self.faults) >= MOST_FAULTS:
            return True
        self.faults.append((len(self.marks), in_a_line(error)))
        return False


class LoadNotes(NamedTuple):
    """The workers' notes; ``late`` of them still had an operation under way after ``overtime``."""

    workers: Sequence[TimedWorker]
    late: int
    overtime: float


async def in_tasks(calls: Sequence[Call], seconds: float, overtime: float) -> LoadNotes:
    """Run a worker for each call, each in a task."""
    workers = [TimedWorker(call) for call in calls]
    tasks = [asyncio.create_task(worker.work_async(round(seconds * 1e9))) for worker in workers]
    _, late = await asyncio.wait(tasks, timeout=seconds + overtime)
    for task in late:
        task.cancel()
    if late:
        await asyncio.wait(late, timeout=1)
    for worker, task in zip(workers, tasks):
        if task not in late and (task.cancelled() or task.exception()):
            worker.faults.append((len(worker.marks), "its driver cancelled the worker"))
    return LoadNotes(workers, len(late), overtime)


def in_threads(calls: Sequence[Call], seconds: float, overtime: float) -> LoadNotes:
    """Run a worker for each call, each in a thread; all begin together."""
    workers = [TimedWorker(call) for call in calls]
    gate = threading.Event()

    def run(work: Callable[[int], None]) -> None:
        gate.wait()
        work(round(seconds * 1e9))

    threads = [threading.Thread(target=run, args=(one.work,), daemon=True) for one in workers]
    for thread in threads:
        thread.start()
    gate.set()
    deadline = time.monotonic() + seconds + overtime
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return LoadNotes(workers, sum(thread.is_alive() for thread in threads), overtime)


def in_a_line(error: BaseException) -> str:
    """Return an error as it is reported: its type and its text, without line breaks."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:LONGEST_ERROR] if text else name
