"""The calls that the drivers of MySQL have in common: cursors of the DB-API, awaited or not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterable
from functools import partial
from typing import Any

from runtime.address import Address
from toolbench.driver import Call, Operation, Options, call_of, percent
from toolbench.timeouts import TIMEOUTS

# The toolbench's own database, if the URL names none.
DATABASE = "sticker_toolbench"


def connect_options(address: Address) -> dict[str, Any]:
    """Return the keywords of connect."""
    where: dict[str, Any] = {"unix_socket": address.path}
    if not address.path:
        where = {"host": address.host, "port": address.port}
    return {
        **where,
        "user": address.user,
        "password": address.password or "",
        "database": address.name or DATABASE,
        "charset": "utf8mb4",
        "autocommit": True,
    }


class BlockingCursors:
    """A `toolbench.driver.MeasuredDriver` without `connect`, which each driver adds."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self.options = connect_options(address)

    def connect(self) -> Any:
        raise NotImplementedError

    def close(self, connection: Any) -> None:
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
        text, arguments = percent(operation)

        def connected() -> Any:
            own = self.connect()
            try:
                return fetch(own, text, arguments)
            finally:
                own.close()

        def batch() -> None:
            with connection.cursor() as cursor:
                cursor.executemany(text, operation.records)

        query = partial(fetch, connection, text, arguments)
        return call_of(operation, query=query, connect=connected, batch=batch)


def fetch(connection: Any, text: str, arguments: Any) -> Any:
    """Execute a query, and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(text, arguments)
        return cursor.fetchall()


class AsyncCursors:
    """A `toolbench.driver.PooledDriver` without `connect` and `make_pool`.

    asyncmy and aiomysql, which add those, have the same cursors and pools.
    """

    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self.options = connect_options(address)
        self._pool: Any = None

    async def connect(self) -> Any:
        raise NotImplementedError

    async def make_pool(self, least: int, most: int) -> Any:
        """Return the driver's own pool."""
        raise NotImplementedError

    async def close(self, connection: Any) -> None:
        await connection.ensure_closed()

    async def close_pool(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.terminate()
            # The database may hang, and the pool would wait for it.
            with contextlib.suppress(Exception):
                await asyncio.wait_for(pool.wait_closed(), TIMEOUTS.close_pool)

    async def bind(self, connection: Any, operation: Operation) -> Call:
        text, arguments = percent(operation)
        if operation.kind in ("pool", "burst") and self._pool is None:
            self._pool = await self.make_pool(*operation.pool)

        async def connected(asked: Any = arguments) -> Any:
            own = await self.connect()
            try:
                return await fetch_async(own, text, asked)
            finally:
                await own.ensure_closed()

        async def batch() -> None:
            async with connection.cursor() as cursor:
                await cursor.executemany(text, operation.records)

        async def connects() -> list[Any]:
            return await at_once(map(connected, operation.records))

        async def burst() -> list[Any]:
            return await at_once(self._pooled(text, record) for record in operation.records)

        return call_of(
            operation,
            query=partial(fetch_async, connection, text, arguments),
            connect=connected,
            connects=connects,
            batch=batch,
            pool=partial(self._pooled, text, arguments),
            burst=burst,
        )

    async def _pooled(self, text: str, arguments: Any) -> Any:
        async with self._pool.acquire() as connection:
            return await fetch_async(connection, text, arguments)


async def at_once(asking: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Await all queries in tasks of their own, and return the rows of all of them."""
    return [row for rows in await asyncio.gather(*asking) for row in rows]


async def fetch_async(connection: Any, text: str, arguments: Any) -> Any:
    """Execute a query, and return its rows."""
    async with connection.cursor() as cursor:
        await cursor.execute(text, arguments)
        return await cursor.fetchall()
