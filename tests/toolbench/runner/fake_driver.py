"""Drivers of no database, for the runner's own tests. What they are told to do, they do.

The kind of an operation says what: `rows` gives some of every type, `fails` raises, `hangs` waits,
`nothing` does nothing. `open_now` counts connections.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from decimal import Decimal
from typing import Any

from toolbench.driver import Address, Call, Operation, Options, Unsupported

ROWS = [
    (1, True, "a", b"\x00\xff", 1.5, None),
    (
        Decimal("1.50"),
        dt.datetime(2024, 1, 2, 3, 4, 5),  # noqa: DTZ001 - as drivers give them
        [1, [2]],
        memoryview(b"\x01"),
        {"a": 1},
        (),
    ),
]
open_now: list[object] = []


def rows(*given: Any) -> list[Any]:
    """What a query gives."""
    return [*ROWS, *([given] if given else [])]


def fail() -> None:
    """Two lines of an error."""
    raise LookupError("first line\nsecond line")


class Blocking:
    """`toolbench.driver.Driver`."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self.address, self.options = address, options

    def connect(self) -> object:
        """One more."""
        if self.address.database == "gone":
            raise ConnectionError("nobody answers")
        open_now.append(object())
        return open_now[-1]

    def close(self, connection: object) -> None:
        """One less."""
        open_now.remove(connection)

    def bind(self, connection: object, operation: Operation) -> Call:
        """By its kind."""
        calls: dict[str, Call] = {
            "rows": lambda: rows(*operation.args),
            "fails": fail,
            "hangs": lambda: time.sleep(30),
            "nothing": lambda: None,
        }
        if operation.kind not in calls:
            raise Unsupported(operation.kind)
        return calls[operation.kind]


class Asynchronous:
    """The same without blocking."""

    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._same = Blocking(address, options)

    async def connect(self) -> object:
        """One more."""
        await asyncio.sleep(0)
        return self._same.connect()

    async def close(self, connection: object) -> None:
        """One less."""
        self._same.close(connection)

    async def bind(self, connection: object, operation: Operation) -> Call:
        """By its kind."""
        call = self._same.bind(connection, operation)

        async def hang() -> None:
            await asyncio.sleep(30)

        async def do() -> Any:
            return call()

        return hang if operation.kind == "hangs" else do


class Shared(Asynchronous):
    """One connection for all workers."""

    SHARED = True
