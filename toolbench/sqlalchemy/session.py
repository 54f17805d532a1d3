"""The session of SQLAlchemy's workload: a load is a number of operations, with a time limit."""

from __future__ import annotations

import time

from runtime.address import Address
from toolbench.drivers import DRIVERS
from toolbench.runner.histogram import summary
from toolbench.runner.protocol import Message, RunnerSession
from toolbench.runner.values import encode
from toolbench.sqlalchemy.article import PROGRAMS
from toolbench.sqlalchemy.log import Log
from toolbench.sqlalchemy.strategies import Strategy
from toolbench.sqlalchemy.workload import drawn, workload, writes
from toolbench.tool import ARTICLE


class WorkloadSession(RunnerSession):
    """One strategy, or the article's program that it is named after."""

    _article = False

    async def open(self, question: Message) -> Strategy:
        address = Address(**question["address"])
        name, self._article = question["driver"], question["options"]["program"] == ARTICLE
        make = PROGRAMS[name] if self._article else DRIVERS[name].load()
        strategy: Strategy = make(address)
        await strategy.prepare()
        return strategy

    async def check(self, opened: Strategy, question: Message) -> Message:
        rows = await opened.example()
        return {"rows": [[encode(value) for value in row] for row in rows], "count": len(rows)}

    async def drive(self, opened: Strategy, question: Message) -> Message:
        """Do all operations; ValueError if they are not done after `seconds`."""
        operations = question["operations"]
        work = drawn(operations) if self._article else workload(operations)
        await opened.empty()
        log = Log()
        until = log.begun + round(question["seconds"] * 1e9)
        try:
            await opened.do(work, question["concurrency"], log, until)
        except TimeoutError:
            late = f"{len(log.took):,} of {operations:,} operations"
            raise ValueError(f"{late} were done after {question['seconds']:,.0f} s") from None
        took = time.monotonic_ns() - log.begun
        stopped = time.process_time_ns()
        answer = {
            **summary(sorted(log.took), took / 1e9, log.errors),
            "begun": log.begun,
            "timeline": log.timeline(),
            "rows": log.rows,
            "writes": writes(work),
        }
        return {**answer, "beside_ns": time.process_time_ns() - stopped}
