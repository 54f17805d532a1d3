"""PostgreSQL through asyncpg."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Awaitable, Callable, Dict, Optional, Tuple, Union

import asyncpg

from data_interface.article import Request
from data_interface.deadline import Deadline
from data_interface.driver import Pool
from data_interface.postgres.data import PostgresData
from data_interface.postgres.refusals import NO_URL, absent, sqlstate, translated
from data_interface.postgres.store import PostgresStore, Session
from data_interface.store import Data, Refused, StoreError

# A page that waited for a hung database does not wait for its goodbye as well.
GOODBYE_SECONDS = 0.05

CONNECT_SECONDS = 2.0

# What its pool logs is an outage, which pages report.
logging.getLogger("asyncpg.pool").setLevel(logging.CRITICAL)

# Cancelled early in a connect, asyncpg before 0.32 leaves an error that nobody looks at.
LITTERS = tuple(int(part) for part in asyncpg.__version__.split(".")[:2]) < (0, 32)

ABSENCES = (
    asyncpg.InterfaceError,
    # A server that shuts down says so between two requests: asyncpg takes that for a disorder.
    asyncpg.InternalClientError,
    OSError,
)


Raw = Union["asyncpg.Connection[Any]", "asyncpg.pool.PoolConnectionProxy[Any]"]


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """The store at a ``postgresql://`` URL in one of the modes of ``connections.mode``."""
    return PostgresStore(connection, url, size, AsyncpgDriver)


class Connection:
    """asyncpg's connection, or its pool's proxy of one: it prepares and caches every statement."""

    __slots__ = ("fetch", "raw")

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        # See ``data.Connection``.
        self.fetch: Callable[..., Request] = raw.fetch

    async def script(self, statements: str) -> None:
        """See ``data.Connection``."""
        await self.raw.execute(statements)


class AsyncpgPool:
    """``driver.Pool``: ``asyncpg.create_pool``, with its defaults but for the size."""

    def __init__(self, driver: AsyncpgDriver, size: int) -> None:
        self._driver = driver
        self._size = size
        self._pool: Any = None

    async def open(self) -> None:
        """See ``driver.Pool``."""
        url, options = self._driver.arguments
        self._pool = await asyncpg.create_pool(
            url,
            min_size=self._size,
            max_size=self._size,
            # It connects in the background as well, where no page's time ends it.
            timeout=CONNECT_SECONDS,
            **options,
        )

    async def acquire(self) -> Connection:
        """See ``driver.Pool``."""
        pool = self._pool
        if LITTERS and not (pool.get_idle_size() and pool.get_size() == self._size):
            # It may have to connect.
            return Connection(await tidily(pool.acquire()))
        return Connection(await pool.acquire())

    async def release(self, connection: Connection, broken: bool) -> None:
        """See ``driver.Pool``. Its reset may be cancelled, as everything that asks the database."""
        if broken or not self._driver.is_open(connection):
            await self._driver.disconnect(connection)
            return
        returning = asyncio.ensure_future(self._return(connection.raw))
        try:
            await asyncio.shield(returning)
        except asyncio.CancelledError:
            with contextlib.suppress(asyncpg.InterfaceError):
                connection.raw.terminate()
            raise

    async def _return(self, raw: Any) -> None:
        """A failed reset ends the connection; where its page was cancelled, it is nobody's error.

        The pool's own ``release`` in its own task would be: asyncio would complain of it.
        """
        with contextlib.suppress(asyncpg.PostgresError, *ABSENCES):
            await self._pool.release(raw)

    async def close(self) -> None:
        """See ``driver.Pool``."""
        if self._pool is None:
            return
        with contextlib.suppress(Exception), Deadline(GOODBYE_SECONDS):
            await self._pool.close()
        self._pool.terminate()


class AsyncpgDriver:
    """How to connect with asyncpg; see ``driver.Driver``."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str, session: Session) -> None:
        # What a connect takes.
        self.arguments: Tuple[str, Dict[str, Any]] = (url, {"server_settings": session.settings})

    async def connect(self) -> Connection:
        """See ``driver.Driver``."""
        url, options = self.arguments
        try:
            if LITTERS:
                return Connection(await tidily(asyncpg.connect(url, **options)))
            return Connection(await asyncpg.connect(url, **options))
        except ValueError:
            raise Refused(NO_URL) from None

    def pool(self, size: int) -> Optional[Pool]:
        """See ``driver.Driver``."""
        return AsyncpgPool(self, size)

    async def disconnect(self, connection: Connection) -> None:
        """See ``driver.Driver``."""
        raw = connection.raw
        try:
            if self.is_open(connection):
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(raw.close(), GOODBYE_SECONDS)
        finally:
            # A pool's proxy lets its connection go when that is closed.
            with contextlib.suppress(asyncpg.InterfaceError):
                raw.terminate()

    def is_open(self, connection: Connection) -> bool:
        """See ``driver.Driver``. A pool's proxy that lost its connection knows no such question."""
        try:
            return not connection.raw.is_closed()
        except asyncpg.InterfaceError:
            return False

    def data(self, connection: Connection) -> Data:
        return PostgresData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, asyncpg.PostgresError):
            return translated(sqlstate(error) or "", str(error))
        return absent() if isinstance(error, ABSENCES) else None


async def tidily(making: Awaitable[Raw]) -> Raw:
    """What a connect gives; a cancelled page lets a driver that litters end it first."""
    attempt = asyncio.ensure_future(making)
    try:
        return await asyncio.shield(attempt)
    except asyncio.CancelledError:
        try:
            await asyncio.wait([attempt], timeout=GOODBYE_SECONDS)
        finally:
            # It may end well in spite of the cancellation.
            attempt.add_done_callback(_end)
            attempt.cancel()
        raise


def _end(attempt: asyncio.Future[Raw]) -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().terminate()
