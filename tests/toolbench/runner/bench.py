"""Is a driver slowed by what measures it? asyncpg in the runner, against a bare loop over asyncpg.

    .venv/bin/python -m tests.toolbench.runner.bench [--rounds N] [--seconds S]

Both do the wide query at ten at once, in turns, in this process on uvloop, on connections of their
own to the private PostgreSQL. Printed are the rows a second of each round, and the ratio of the
runner's to the bare loop's with its 95 % interval; exit status 1 when that is below 0.97.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
import time
from typing import Any

import asyncpg
import uvloop

from databases import find, private
from race.stats.signed_rank import hodges_lehmann
from toolbench import transport
from toolbench.driver import Address, Operation, Options
from toolbench.operation import operations
from toolbench.postgres.asyncpg_driver import Asyncpg
from toolbench.runner import histogram
from toolbench.runner.crew import Crew

LEAST = 0.97
AT_ONCE = 10
WIDE = operations()["wide"]
NAME = "postgres"


class Bare:
    """What somebody would write who measures asyncpg and nothing else."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connections: list[Any] = []
        self._statements: list[Any] = []

    async def open(self) -> None:
        """Connections with a prepared statement each."""
        for _ in range(AT_ONCE):
            connection = await asyncpg.connect(self._url)
            self._connections.append(connection)
            self._statements.append(await connection.prepare(WIDE.sql))

    async def rate(self, each: int) -> float:
        """Operations a second, so many on each connection."""

        async def again(statement: Any) -> None:
            for _ in range(each):
                await statement.fetch(*WIDE.args)

        began = time.perf_counter()
        await asyncio.gather(*map(again, self._statements))
        return each * AT_ONCE / (time.perf_counter() - began)

    async def close(self) -> None:
        """End the connections."""
        for connection in self._connections:
            await connection.close()


async def compared(url: str, rounds: int, seconds: float) -> list[float]:
    """The ratio of each round, the runner's rate to the bare one; who is first changes."""
    where = transport.sent(NAME, find(NAME).address(url))
    crew, bare = Crew(Asyncpg(Address(**where), Options(loop="uvloop"))), Bare(url)
    operation = Operation(WIDE.name, WIDE.kind, WIDE.sql, WIDE.args, WIDE.columns)
    try:
        rows = len(await crew.check(operation))
        await bare.open()
        return await in_turns(crew, bare, rows, rounds, seconds)
    finally:
        await crew.close()
        await bare.close()


async def in_turns(crew: Crew, bare: Bare, rows: int, rounds: int, seconds: float) -> list[float]:
    """The ratio of each round."""

    async def ours() -> float:
        found = histogram.answer(await crew.drive(WIDE.name, seconds, AT_ONCE))
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
