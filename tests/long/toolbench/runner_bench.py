"""Is a driver slowed by what measures it? asyncpg in the runner, against a bare loop over asyncpg.

    .venv/bin/python -m tests.long.toolbench.runner_bench [--rounds N] [--seconds S]

Both do the wide query at ten at once, in turns, in this process on uvloop, on the same connections
to the private PostgreSQL. Printed are the rows a second of each round, and the ratio of the
runner's to the bare loop's with its 95 % interval; exit status 1 when that is below 0.97.
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
OVERTIME = 5.0
WIDE = operations()["wide"]
NAME = "postgres"


class RecordingAsyncpg(Asyncpg):
    """The runner's driver; the bare loop uses its connections too, for two sets of them differ by
    more than what is asked here.
    """

    def __init__(self, address: Address, options: Options) -> None:
        super().__init__(address, options)
        self.connections: list[Any] = []

    async def connect(self) -> Any:
        self.connections.append(await super().connect())
        return self.connections[-1]


class BareLoop:
    """What somebody would write who measures asyncpg and nothing else."""

    def __init__(self) -> None:
        self._statements: list[Any] = []

    async def open(self, connections: list[Any]) -> None:
        """A prepared statement on each."""
        self._statements = [await connection.prepare(WIDE.sql) for connection in connections]

    async def rate(self, each: int) -> float:
        """Operations a second, so many on each connection."""

        async def again(statement: Any) -> None:
            for _ in range(each):
                await statement.fetch(*WIDE.args)

        began = time.perf_counter()
        await asyncio.gather(*map(again, self._statements))
        return each * AT_ONCE / (time.perf_counter() - began)


async def compared(url: str, rounds: int, seconds: float) -> list[float]:
    """The ratio of each round, the runner's rate to the bare one; who is first changes."""
    where = transport.message(NAME, find(NAME).address(url))
    driver = RecordingAsyncpg(Address(**where), Options(loop="uvloop"))
    pool, bare = WorkerPool(driver), BareLoop()
    operation = Operation(WIDE.name, WIDE.kind, WIDE.sql, WIDE.args, WIDE.columns)
    try:
        rows = len(await pool.check(operation))
        await pool.drive(WIDE.name, seconds, AT_ONCE, OVERTIME)
        await bare.open(driver.connections)
        return await in_turns(pool, bare, rows, rounds, seconds)
    finally:
        await pool.close()


async def in_turns(
    pool: WorkerPool, bare: BareLoop, rows: int, rounds: int, seconds: float
) -> list[float]:
    """The ratio of each round."""

    async def ours() -> float:
        found = histogram.answer(await pool.drive(WIDE.name, seconds, AT_ONCE, OVERTIME))
        return float(found["operations"] / found["seconds"])

    each = max(1, round(await ours() * seconds / AT_ONCE))
    await bare.rate(each)
    ratios = []
    for number in range(1, rounds + 1):
        if number % 2:
            here, alone = await ours(), await bare.rate(each)
        else:
            alone, here = await bare.rate(each), await ours()
        ratios.append(here / alone)
        print(f"{number:3}  runner {here * rows:11,.0f}  bare {alone * rows:11,.0f}  rows/s")
    return ratios


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    handle = private.join(NAME)
    loop = uvloop.new_event_loop()
    try:
        running = compared(handle.url, options.rounds, options.seconds)
        ratios = loop.run_until_complete(running)
    finally:
        loop.close()
        handle.leave()
    found = hodges_lehmann([math.log(ratio) for ratio in ratios])
    print(f"runner to bare loop: {found}")
    return int(found.ratio < LEAST)


if __name__ == "__main__":
    sys.exit(main())
