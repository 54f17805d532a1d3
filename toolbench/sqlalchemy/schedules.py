"""Schedules: how the operations of a workload are given to an event loop.

A schedule calls `do` for each operation; `do` raises nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from toolbench.sqlalchemy.workload import Workload

Do = Callable[[int | None], Coroutine[Any, Any, None]]
Schedule = Callable[[Workload, Do, int], Coroutine[Any, Any, None]]


async def tasks(work: Workload, do: Do, at_a_time: int) -> None:
    """Start a task for each operation, without regard to `at_a_time`.

    The loop has a turn after each write, so that operations run while tasks are still being made;
    otherwise all of them would wait for their first connection at once.
    """
    made: set[asyncio.Task[None]] = set()
    try:
        for one in work:
            made.add(asyncio.create_task(do(one)))
            if one is not None:
                await asyncio.sleep(0)
        await asyncio.wait(made)
    except asyncio.CancelledError:
        for task in made:
            task.cancel()
        await asyncio.wait(made)
        raise


async def chunks(work: Workload, do: Do, at_a_time: int) -> None:
    """Do `at_a_time` operations together, and wait for all of them before the next ones."""
    for first in range(0, len(work), at_a_time):
        await asyncio.gather(*map(do, work[first : first + at_a_time]))


async def bounded(work: Workload, do: Do, at_a_time: int) -> None:
    """Keep `at_a_time` operations running: when one ends, the next one begins."""
    free = asyncio.Semaphore(at_a_time)

    async def freeing(one: int | None) -> None:
        try:
            await do(one)
        finally:
            free.release()

    async with asyncio.TaskGroup() as group:
        for one in work:
            await free.acquire()
            group.create_task(freeing(one))
