"""Compares asyncpg in the runner with a bare loop over asyncpg: does measuring slow a driver down?

    .venv/bin/python -m tests.long.toolbench.runner_bench [--rounds N] [--seconds S]

Both do the wide query with ten workers, in turns, on uvloop and on the same connections to the
private PostgreSQL. The output has the rows/s of each round, and the ratio of the runner to the bare
loop with its 95 % interval. The exit status is 1 if the ratio is below 0.97.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
import time
from typing import Any

import uvloop

from databases import find, private
from race.stats.signed_rank import hodges_lehmann
from runtime.address import Address
from toolbench import transport
from toolbench.driver import Operation, Options
from toolbench.operation import operations
from toolbench.postgres.asyncpg_driver import Asyncpg
from toolbench.runner import histogram
from toolbench.runner.worker_pool import WorkerPool

LEAST = 0.97
AT_ONCE = 10
WIDE = operations()["wide"]
NAME = "postgres"


class RecordingAsyncpg(Asyncpg):
    """Keeps its connections for the bare loop: two sets of connections differ by too much."""

    def __init__(self, address: Address, options: Options) -> None:
        super().__init__(address, options)
        self.connections: list[Any] = []

    async def connect(self) -> Any:
        self.connections.append(await super().connect())
        return self.connections[-1]


async def bare_rate(statements: list[Any], each: int) -> float:
    """Return the operations/s of a loop that measures nothing."""

    async def again(statement: Any) -> None:
        for _ in range(each):
            await statement.fetch(*WIDE.args)

    began = time.perf_counter()
    await asyncio.gather(*map(again, statements))
    return each * len(statements) / (time.perf_counter() - began)


async def runner_rate(pool: WorkerPool, seconds: float) -> float:
    """Return the operations/s that the runner measures."""
    found = histogram.answer(await pool.drive(WIDE.name, seconds, AT_ONCE, 5.0))
    return float(found["operations"] / found["seconds"])


async def compare(url: str, rounds: int, seconds: float) -> list[float]:
    """Return the ratio of each round; the two take turns at going first."""
    address = transport.message(NAME, find(NAME).address(url))
    driver = RecordingAsyncpg(Address(**address), Options(loop="uvloop"))
    pool = WorkerPool(driver)
    try:
        rows = len(
            await pool.check(Operation(WIDE.name, WIDE.kind, WIDE.sql, WIDE.args, WIDE.columns))
        )
        each = max(1, round(await runner_rate(pool, seconds) * seconds / AT_ONCE))
        statements = [await one.prepare(WIDE.sql) for one in driver.connections]
        await bare_rate(statements, each)
        ratios = []
        for number in range(1, rounds + 1):
            before = await runner_rate(pool, seconds) if number % 2 else None
            bare = await bare_rate(statements, each)
            runner = before or await runner_rate(pool, seconds)
            ratios.append(runner / bare)
            print(f"{number:3}  runner {runner * rows:11,.0f}  bare {bare * rows:11,.0f}  rows/s")
        return ratios
    finally:
        await pool.close()


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    handle = private.join(NAME)
    try:
        ratios = uvloop.run(compare(handle.url, options.rounds, options.seconds))
    finally:
        handle.leave()
    found = hodges_lehmann([math.log(ratio) for ratio in ratios])
    print(f"runner to bare loop: {found}")
    return int(found.ratio < LEAST)


if __name__ == "__main__":
    sys.exit(main())
