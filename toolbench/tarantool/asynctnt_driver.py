"""asynctnt: one connection carries the requests of all workers."""

from __future__ import annotations

from typing import Any

from data_interface.tarantool.asynctnt_store import AsynctntDriver
from runtime.address import Address
from toolbench.driver import Call, Operation, Options
from toolbench.tarantool.requests import ROWLESS, request


class Asynctnt:
    """It connects as the site does."""

    BLOCKING = False
    SHARED = True

    def __init__(self, address: Address, options: Options) -> None:
        self._driver = AsynctntDriver(address)

    async def connect(self) -> Any:
        return await self._driver.connect()

    async def close(self, connection: Any) -> None:
        await self._driver.disconnect(connection)

    async def bind(self, connection: Any, operation: Operation) -> Call:
        send = request(connection, operation)
        if operation.kind in ROWLESS:
            return send

        async def rows() -> Any:
            return (await send()).body

        return rows
