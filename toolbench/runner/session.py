"""The session of a Python driver: open it, check an operation, drive it."""

from __future__ import annotations

import time
from typing import Any, Tuple

from runtime.address import Address
from toolbench.driver import MeasuredDriver, Operation, Options
from toolbench.drivers import DRIVERS
from toolbench.runner import histogram
from toolbench.runner.protocol import Message, RunnerSession
from toolbench.runner.values import decode, encode
from toolbench.runner.worker_pool import WorkerPool


class DriverSession(RunnerSession):
    """One driver with a pool of workers."""

    async def open(self, question: Message) -> WorkerPool:
        """Load the driver, which no other runner needs to have installed, and connect."""
        make = DRIVERS[question["driver"]].load()
        driver: MeasuredDriver = make(
            Address(**question["address"]), Options(**question["options"])
        )
        pool = WorkerPool(driver)
        await pool.open(1)
        return pool

    async def check(self, opened: WorkerPool, question: Message) -> Message:
        operation = _operation(question["operation"])
        found = await opened.check(operation)
        has_rows = isinstance(found, (list, tuple))
        rows = [[encode(value) for value in row] for row in (found if has_rows else [])]
        return {"rows": rows, "count": len(rows) if has_rows else len(operation.records) or 1}

    async def drive(self, opened: WorkerPool, question: Message) -> Message:
        words = ("operation", "seconds", "concurrency", "overtime")
        result = await opened.drive(*(question[word] for word in words))
        stopped = time.process_time_ns()
        answer = histogram.answer(result)
        return {**answer, "beside_ns": time.process_time_ns() - stopped}


def _operation(sent: Message) -> Operation:
    least, most = sent.get("pool", (1, 1))
    return Operation(
        name=sent["name"],
        kind=sent["kind"],
        sql=sent["sql"],
        args=_values(sent["args"]),
        columns=tuple((name, kind) for name, kind in sent["columns"]),
        table=sent["table"],
        records=tuple(map(_values, sent["records"])),
        pool=(least, most),
    )


def _values(sent: Any) -> Tuple[Any, ...]:
    return tuple(map(decode, sent))
