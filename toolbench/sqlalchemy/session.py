"""Questions to the workload's runner, and their answers: the contract of docs/adding-a-driver.md.

A load is so many operations, which are to be done within so many seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from typing import Any

from toolbench.driver import Address
from toolbench.drivers import DRIVERS
from toolbench.runner.conversation import Conversation, Words, new_loop
from toolbench.runner.histogram import summary
from toolbench.runner.tagged import tagged
from toolbench.sqlalchemy.log import Log
from toolbench.sqlalchemy.ways import Way
from toolbench.sqlalchemy.workload import workload

CLOSE_SECONDS = 3.0


class Session(Conversation):
    """One way from `open` to its end. Between two questions the event loop stands still."""

    def __init__(self) -> None:
        self._way: Way | None = None
        self._loop = asyncio.new_event_loop()

    def reply(self, question: Words) -> Words:
        """See ``Conversation``."""
        if question["do"] == "open":
            return self._open(question)
        if question["do"] not in REPLIES:
            raise ValueError(f"unknown question {question['do']!r}")
        if self._way is None:
            raise ValueError("nothing is open")
        return self._loop.run_until_complete(REPLIES[question["do"]](self._way, question))

    def close(self) -> None:
        """See ``Conversation``."""
        if self._way is not None:
            with contextlib.suppress(Exception):
                ending = asyncio.wait_for(self._way.close(), CLOSE_SECONDS)
                self._loop.run_until_complete(ending)

    def _open(self, question: Words) -> Words:
        self._loop = new_loop(question["options"]["loop"])
        asyncio.set_event_loop(self._loop)
        way: Way = DRIVERS[question["driver"]].load()(Address(**question["address"]))
        self._loop.run_until_complete(way.prepare())
        self._way = way
        return {"ready": True}


async def _check(way: Way, question: Words) -> Words:
    rows = await way.example()
    return {"rows": [[tagged(value) for value in row] for row in rows], "count": len(rows)}


async def _drive(way: Way, question: Words) -> Words:
    """All of so many operations; an error when they are not done after `seconds`."""
    operations = question["operations"]
    work = workload(operations)
    await way.empty()
    log = Log()
    until = log.begun + round(question["seconds"] * 1e9)
    try:
        await way.do(work, question["concurrency"], log, until)
    except TimeoutError:
        late = f"{len(log.took):,} of {operations:,} operations"
        raise ValueError(f"{late} were done after {question['seconds']:,.0f} s") from None
    log.end()
    stopped = time.process_time_ns()
    answer = {
        **summary(sorted(log.took), (log.over - log.begun) / 1e9, log.errors),
        "begun": log.begun,
        "timeline": log.timeline(),
        "rows": log.rows,
    }
    return {**answer, "beside_ns": time.process_time_ns() - stopped}


Reply = Callable[[Way, Words], Coroutine[Any, Any, Words]]
REPLIES: dict[str, Reply] = {"check": _check, "drive": _drive}
