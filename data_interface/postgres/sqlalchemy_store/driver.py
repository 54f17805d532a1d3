"""How to connect with SQLAlchemy's asyncio engine; its own pool."""

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
from data_interface.postgres.asyncpg_store import GOODBYE_SECONDS, AsyncpgDriver
from data_interface.postgres.refusals import NO_URL, sqlstate, translated
from data_interface.postgres.sqlalchemy_store.connection import Connection
from data_interface.postgres.sqlalchemy_store.data import SqlalchemyData
from data_interface.postgres.store import Session
from data_interface.store import Data, Refused, StoreError

# What its pools log is an outage, or a page that was cancelled; pages report both.
logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)


class Link(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """asyncpg's own connection, but for its end.

    SQLAlchemy closes the connection of a cancelled statement, and gives that two seconds: a page
    would wait for a database that hangs.
    """

    async def close(self, *, timeout: Optional[float] = None) -> None:
        """A goodbye that is not taken at once is not waited for, however long one might."""
        try:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(super().close(), GOODBYE_SECONDS)
        finally:
            self.terminate()


class SqlalchemyPool:
    """``driver.Pool``: the engine's ``AsyncAdaptedQueuePool``, with its defaults but for the size.

    It connects when somebody asks and nobody has given back.
    """

    def __init__(self, driver: SqlalchemyDriver, size: int) -> None:
        self._driver = driver
        self._engine = driver.engine(pool_size=size, max_overflow=0)

    async def open(self) -> None:
        """See ``driver.Pool``: the first connection proves that there is a database."""
        await self.release(await self.acquire(), broken=False)

    async def acquire(self) -> Connection:
        """See ``driver.Pool``."""
        return Connection(await self._engine.connect())

    async def release(self, connection: Connection, broken: bool) -> None:
        """See ``driver.Pool``."""
        await ended(connection, broken or not self._driver.is_open(connection))

    async def close(self) -> None:
        """See ``driver.Pool``."""
        with contextlib.suppress(Exception):
            await self._engine.dispose()


class SqlalchemyDriver:
    """How to connect with SQLAlchemy on asyncpg; see ``driver.Driver``."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str, session: Session) -> None:
        self._asyncpg = AsyncpgDriver(url, session)
        self._single = self.engine(poolclass=NullPool)

    def engine(self, **pool: Any) -> AsyncEngine:
        """One whose connections keep no transaction open, with such a pool.

        By default a session begins a transaction with its first statement.
        """
        return create_async_engine(
            "postgresql+asyncpg://",
            async_creator=self._made,
            isolation_level="AUTOCOMMIT",
            **pool,
        )

    async def _made(self) -> Link:
        """URLs mean what they mean to asyncpg alone; SQLAlchemy's own know other options."""
        url, options = self._asyncpg.arguments
        try:
            link: Link = await asyncpg.connect(url, connection_class=Link, **options)
        except ValueError:
            raise Refused(NO_URL) from None
        return link

    async def connect(self) -> Connection:
        """See ``driver.Driver``."""
        return Connection(await self._single.connect())

    def pool(self, size: int) -> Optional[Pool]:
        """See ``driver.Driver``."""
        return SqlalchemyPool(self, size)

    async def disconnect(self, connection: Connection) -> None:
        """See ``driver.Driver``."""
        await ended(connection, broken=not self.is_open(connection))

    def is_open(self, connection: Connection) -> bool:
        """See ``driver.Driver``. asyncpg is told when the server leaves."""
        return not connection.raw.is_closed()

    def data(self, connection: Connection) -> Data:
        return SqlalchemyData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if not isinstance(error, DBAPIError):
            return self._asyncpg.translate(error)
        # What asyncpg raised is the cause of what stands for it among SQLAlchemy's errors.
        cause = error.orig.__cause__ if error.orig else None
        found = self._asyncpg.translate(cause) if cause else None
        return found or translated(sqlstate(error) or "", str(error.orig))


async def ended(connection: Connection, broken: bool) -> None:
    """In a task of its own, which a cancelled page does not end: as ``async with`` of a session."""
    await asyncio.shield(asyncio.ensure_future(connection.end(broken)))
