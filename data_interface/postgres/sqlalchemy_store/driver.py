"""SQLAlchemy's asyncio engine and its pool, on asyncpg."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Optional

import asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from data_interface.driver import Pool
from data_interface.postgres.asyncpg_store import AsyncpgDriver
from data_interface.postgres.refusals import NO_URL, sqlstate, translated
from data_interface.postgres.sqlalchemy_store.connection import SqlalchemyConnection
from data_interface.postgres.sqlalchemy_store.data import SqlalchemyData
from data_interface.postgres.store import PostgresSession
from data_interface.store import Data, Refused, StoreError
from data_interface.timeouts import TIMEOUTS

# SQLAlchemy's pools log outages and cancelled pages; the pages report both.
logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)


class QuickClosingConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """asyncpg's connection with a close that does not wait for a hung database.

    SQLAlchemy closes the connection of a cancelled statement and allows two seconds for it.
    """

    async def close(self, *, timeout: Optional[float] = None) -> None:
        """Close within ``TIMEOUTS.goodbye``, whatever the timeout says."""
        try:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(super().close(), TIMEOUTS.goodbye)
        finally:
            self.terminate()


class SqlalchemyPool:
    """The engine's ``AsyncAdaptedQueuePool``, with its defaults except for the size.

    It connects when a page asks and no connection is free.
    """

    def __init__(self, driver: SqlalchemyDriver, size: int) -> None:
        self._driver = driver
        self._engine = driver.engine(pool_size=size, max_overflow=0)

    async def open(self) -> None:
        # The first connection proves that the database can be reached.
        await self.release(await self.acquire(), broken=False)

    async def acquire(self) -> SqlalchemyConnection:
        return SqlalchemyConnection(await self._engine.connect())

    async def release(self, connection: SqlalchemyConnection, broken: bool) -> None:
        await _end(connection, broken or not self._driver.is_open(connection))

    async def close(self) -> None:
        with contextlib.suppress(Exception):
            await self._engine.dispose()


class SqlalchemyDriver:
    """SQLAlchemy on asyncpg, for the connection modes."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str, session: PostgresSession) -> None:
        self._asyncpg = AsyncpgDriver(url, session)
        self._single = self.engine(poolclass=NullPool)

    def engine(self, **pool: Any) -> AsyncEngine:
        """Return an engine with such a pool, whose connections keep no transaction open.

        By default a session begins a transaction with its first statement.
        """
        return create_async_engine(
            "postgresql+asyncpg://",
            async_creator=self._connect,
            isolation_level="AUTOCOMMIT",
            **pool,
        )

    async def _connect(self) -> QuickClosingConnection:
        # asyncpg reads the URL, as in the backend `postgres`; SQLAlchemy knows other options.
        url, options = self._asyncpg.arguments
        try:
            made: QuickClosingConnection = await asyncpg.connect(
                url, connection_class=QuickClosingConnection, **options
            )
        except ValueError:
            raise Refused(NO_URL) from None
        return made

    async def connect(self) -> SqlalchemyConnection:
        return SqlalchemyConnection(await self._single.connect())

    def pool(self, size: int) -> Optional[Pool]:
        return SqlalchemyPool(self, size)

    async def disconnect(self, connection: SqlalchemyConnection) -> None:
        await _end(connection, broken=not self.is_open(connection))

    def is_open(self, connection: SqlalchemyConnection) -> bool:
        # asyncpg reads its socket all the time and knows when the server has left.
        return not connection.raw.is_closed()

    def data(self, connection: SqlalchemyConnection) -> Data:
        return SqlalchemyData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if not isinstance(error, DBAPIError):
            return self._asyncpg.translate(error)
        # SQLAlchemy wraps asyncpg's error twice.
        cause = error.orig.__cause__ if error.orig else None
        found = self._asyncpg.translate(cause) if cause else None
        return found or translated(sqlstate(error) or "", str(error.orig))


async def _end(connection: SqlalchemyConnection, broken: bool) -> None:
    # In a task of its own, which a cancelled page does not end.
    await asyncio.shield(asyncio.ensure_future(connection.end(broken)))
