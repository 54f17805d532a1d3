"""What MySQL's drivers have in common: cursors as the DB-API has them, awaited or not."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import Any

from runtime.address import Address as Place
from toolbench.driver import Address, Call, Operation, Options, Unsupported
from toolbench.style import percent

# The toolbench's own database, where the URL names none.
DATABASE = "sticker_toolbench"
# Connections of a driver's own pool: how many it keeps, how many it may have.
LEAST, MOST = 5, 20
# A pool whose database hangs is not waited for any longer.
GOODBYE_SECONDS = 1.0


def connect_options(where: Address | Place) -> dict[str, Any]:
    """What a connect takes, by names that all have; how they call the database differs."""
    place: dict[str, Any] = {"unix_socket": where.path}
    if not where.path:
        place = {"host": where.host, "port": where.port}
    return {
        **place,
        "user": where.user,
        "password": where.password or "",
        "charset": "utf8mb4",
        "autocommit": True,
    }


def fetched(connection: Any, text: str, arguments: Any) -> Any:
    """The rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(text, arguments)
        return cursor.fetchall()


class Blocking:
    """``toolbench.driver.Driver`` for cursors that block; a driver's own brings ``connect``."""

    BLOCKING = True
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self.options = {"database": address.database or DATABASE, **connect_options(address)}

    def connect(self) -> Any:
        """See ``Driver``."""
        raise NotImplementedError

    def close(self, connection: Any) -> None:
        """See ``Driver``."""
        connection.close()

    def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``Driver``."""
        if operation.kind == "query":
            return partial(fetched, connection, *percent(operation))
        if operation.kind == "connect":
            return partial(self._connected, *percent(operation))
        if operation.kind == "batch":
            return self._batch(connection, operation)
        raise Unsupported(operation.kind)

    def _connected(self, text: str, arguments: Any) -> Any:
        connection = self.connect()
        try:
            return fetched(connection, text, arguments)
        finally:
            connection.close()

    def _batch(self, connection: Any, operation: Operation) -> Call:
        text, _ = percent(operation)

        def call() -> None:
            with connection.cursor() as cursor:
                cursor.executemany(text, operation.records)

        return call


async def awaited(connection: Any, text: str, arguments: Any) -> Any:
    """The rows of a query."""
    async with connection.cursor() as cursor:
        await cursor.execute(text, arguments)
        return await cursor.fetchall()


class Awaited:
    """``toolbench.driver.Driver`` for cursors that are awaited: asyncmy's and aiomysql's are alike.

    A driver's own brings ``link``, its connect, and ``make_pool``.
    """

    BLOCKING = False
    SHARED = False

    def __init__(self, address: Address, options: Options) -> None:
        self.database = address.database or DATABASE
        self.options = connect_options(address)
        self._pool: Any = None

    async def link(self) -> Any:
        """A new connection."""
        raise NotImplementedError

    async def make_pool(self) -> Any:
        """The driver's own pool, of LEAST to MOST connections."""
        raise NotImplementedError

    async def connect(self) -> Any:
        """See ``Driver``."""
        return await self.link()

    async def close(self, connection: Any) -> None:
        """See ``Driver``."""
        await connection.ensure_closed()

    async def rest(self) -> None:
        """See ``Driver``: the pool goes, with what is under way on it."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.terminate()
            with contextlib.suppress(Exception):
                await asyncio.wait_for(pool.wait_closed(), GOODBYE_SECONDS)

    async def bind(self, connection: Any, operation: Operation) -> Call:
        """See ``Driver``."""
        if operation.kind == "query":
            return partial(awaited, connection, *percent(operation))
        if operation.kind == "connect":
            return partial(self._connected, *percent(operation))
        if operation.kind == "batch":
            return self._batch(connection, operation)
        if operation.kind not in ("pool", "burst"):
            raise Unsupported(operation.kind)
        if self._pool is None:
            self._pool = await self.make_pool()
        if operation.kind == "pool":
            return partial(self._pooled, *percent(operation))
        return self._burst(operation)

    async def _connected(self, text: str, arguments: Any) -> Any:
        connection = await self.link()
        try:
            return await awaited(connection, text, arguments)
        finally:
            await connection.ensure_closed()

    async def _pooled(self, text: str, arguments: Any) -> Any:
        async with self._pool.acquire() as connection:
            return await awaited(connection, text, arguments)

    def _batch(self, connection: Any, operation: Operation) -> Call:
        text, _ = percent(operation)

        async def call() -> None:
            async with connection.cursor() as cursor:
                await cursor.executemany(text, operation.records)

        return call

    def _burst(self, operation: Operation) -> Call:
        text, _ = percent(operation)

        async def call() -> list[Any]:
            asking = [self._pooled(text, record) for record in operation.records]
            return [row for rows in await asyncio.gather(*asking) for row in rows]

        return call
