"""Drivers without a database, for tests of the runner.

The kind of an operation says what it does: `rows` returns values of every type, `fails` raises,
`hangs` waits from its second call on, `nothing` does nothing. `open_now` has the open connections.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from decimal import Decimal
from typing import Any

from runtime.address import Address
from toolbench.driver import Call, Operation, Options, call_of

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


def fail() -> None:
    raise LookupError("first line\nsecond line")


class Blocking:
    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self.address = address

    def connect(self) -> object:
        if self.address.name == "gone":
            raise ConnectionError("nobody answers")
        open_now.append(object())
        return open_now[-1]

    def close(self, connection: object) -> None:
        open_now.remove(connection)

    def bind(self, connection: object, operation: Operation) -> Call:
        seconds = iter([0])
        return call_of(
            operation,
            rows=lambda: [*ROWS, *([operation.args] if operation.args else [])],
            fails=fail,
            hangs=lambda: time.sleep(next(seconds, 3)),
            nothing=lambda: None,
        )


class Asynchronous:
    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self._same = Blocking(address, options)

    async def connect(self) -> object:
        await asyncio.sleep(0)
        return self._same.connect()

    async def close(self, connection: object) -> None:
        self._same.close(connection)

    async def bind(self, connection: object, operation: Operation) -> Call:
        call = self._same.bind(connection, operation)

        seconds = iter([0])

        async def hang() -> None:
            await asyncio.sleep(next(seconds, 3))

        async def do() -> Any:
            return call()

        return hang if operation.kind == "hangs" else do


class SharedConnection(Asynchronous):
    SHARED = True
