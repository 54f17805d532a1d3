"""Ways to put one workload to an event loop. `do` does one operation and raises nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from toolbench.sqlalchemy.workload import Work

Do = Callable[[int | None], Coroutine[Any, Any, None]]
Schedule = Callable[[Work, Do, int], Coroutine[Any, Any, None]]


async def tasks(work: Work, do: Do, at_a_time: int) -> None:
    """A task for each operation, whoever waits for what: `at_a_time` is not looked at.

    The loop has a turn after each write, so that tasks go on while others are made; else all of
    them ask for their first connection at once.
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


async def chunks(work: Work, do: Do, at_a_time: int) -> None:
    """So many at a time; all of a chunk are waited for before the next one begins."""
    for first in range(0, len(work), at_a_time):
        await asyncio.gather(*map(do, work[first : first + at_a_time]))


async def bounded(work: Work, do: Do, at_a_time: int) -> None:
    """So many at a time; the next one begins as soon as any ends, and has no task before."""
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
