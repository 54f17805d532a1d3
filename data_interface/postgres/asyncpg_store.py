"""PostgreSQL through asyncpg."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Awaitable, Callable, Dict, Optional, Set, Tuple, Union

import asyncpg

from data_interface.article import Request
from data_interface.deadline import Deadline
from data_interface.driver import Pool
from data_interface.postgres.data import PostgresData
from data_interface.postgres.refusals import NO_URL, sqlstate, translated, unavailable
from data_interface.postgres.store import PostgresSession, PostgresStore
from data_interface.store import Data, Refused, StoreError
from data_interface.timeouts import TIMEOUTS

# The pool logs outages, which the pages report as well.
logging.getLogger("asyncpg.pool").setLevel(logging.CRITICAL)

# If a connect is cancelled early, asyncpg before 0.32 leaves a future with an error that nobody
# retrieves, and asyncio complains of it.
LEAVES_ERRORS = tuple(int(part) for part in asyncpg.__version__.split(".")[:2]) < (0, 32)

# More attempts at connections of a pool than this do not go on when their pages are cancelled.
MOST_ATTEMPTS = 1000

UNAVAILABLE = (
    asyncpg.InterfaceError,
    # asyncpg raises this when a server that shuts down says so between two requests.
    asyncpg.InternalClientError,
    OSError,
)


Raw = Union["asyncpg.Connection[Any]", "asyncpg.pool.PoolConnectionProxy[Any]"]


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """Return the store at a ``postgresql://`` URL in one of the connection modes."""
    return PostgresStore(connection, url, size, AsyncpgDriver)


class AsyncpgConnection:
    """asyncpg's connection, or its pool's proxy of one. It prepares and caches every statement."""

    __slots__ = ("fetch", "raw")

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.fetch: Callable[..., Request] = raw.fetch

    async def script(self, statements: str) -> None:
        await self.raw.execute(statements)


class AsyncpgPool:
    """The pool of ``asyncpg.create_pool``, with its defaults except for the size."""

    def __init__(self, driver: AsyncpgDriver, size: int) -> None:
        self._driver = driver
        self._size = size
        self._pool: Any = None
        self._attempts: Set[asyncio.Future[Raw]] = set()
        self._returning: Set[asyncio.Future[None]] = set()

    async def open(self) -> None:
        url, options = self._driver.arguments
        self._pool = await asyncpg.create_pool(
            url,
            min_size=self._size,
            max_size=self._size,
            # The pool also connects in the background, where no page's time limit ends it.
            timeout=TIMEOUTS.pool_connect,
            **options,
        )

    async def acquire(self) -> AsyncpgConnection:
        pool = self._pool
        at_once = pool.get_idle_size() and pool.get_size() == self._size and not self._attempts
        if LEAVES_ERRORS and not at_once:
            # The pool may have to connect.
            return AsyncpgConnection(await self._connected())
        return AsyncpgConnection(await pool.acquire())

    async def _connected(self) -> Raw:
        """Return a connection. The attempt of a page that is cancelled goes on by itself, unless
        there are too many; `timeout` bounds its connect.
        """
        attempt = asyncio.ensure_future(self._pool.acquire())
        self._attempts.add(attempt)
        attempt.add_done_callback(self._attempts.discard)
        try:
            return await asyncio.shield(attempt)
        except asyncio.CancelledError:
            attempt.add_done_callback(self._give_back)
            if len(self._attempts) > MOST_ATTEMPTS:
                attempt.cancel()
            raise

    def _give_back(self, attempt: asyncio.Future[Raw]) -> None:
        if not attempt.cancelled() and attempt.exception() is None:
            returning = asyncio.ensure_future(self._return(attempt.result()))
            self._returning.add(returning)
            returning.add_done_callback(self._returning.discard)

    async def release(self, connection: AsyncpgConnection, broken: bool) -> None:
        """Take a connection back. The pool resets it, which may be cancelled as any request."""
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
        # A reset that fails ends the connection. If the page was cancelled, nobody retrieves the
        # error, so it must not leave the task: asyncio would complain of it.
        with contextlib.suppress(asyncpg.PostgresError, *UNAVAILABLE):
            await self._pool.release(raw)

    async def close(self) -> None:
        if self._pool is None:
            return
        if self._attempts:
            await asyncio.wait(self._attempts, timeout=TIMEOUTS.goodbye)
        with contextlib.suppress(Exception), Deadline(TIMEOUTS.goodbye):
            await self._pool.close()
        self._pool.terminate()


class AsyncpgDriver:
    """The driver asyncpg, for the connection modes."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str, session: PostgresSession) -> None:
        # The arguments of a connect.
        self.arguments: Tuple[str, Dict[str, Any]] = (url, {"server_settings": session.settings})

    async def connect(self) -> AsyncpgConnection:
        url, options = self.arguments
        try:
            if LEAVES_ERRORS:
                return AsyncpgConnection(await _connected(asyncpg.connect(url, **options)))
            return AsyncpgConnection(await asyncpg.connect(url, **options))
        except ValueError:
            raise Refused(NO_URL) from None

    def pool(self, size: int) -> Optional[Pool]:
        return AsyncpgPool(self, size)

    async def disconnect(self, connection: AsyncpgConnection) -> None:
        raw = connection.raw
        try:
            if self.is_open(connection):
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(raw.close(), TIMEOUTS.goodbye)
        finally:
            # A pool's proxy that was closed has no connection any more, and raises.
            with contextlib.suppress(asyncpg.InterfaceError):
                raw.terminate()

    def is_open(self, connection: AsyncpgConnection) -> bool:
        try:
            return not connection.raw.is_closed()
        except asyncpg.InterfaceError:
            # A pool's proxy that lost its connection raises.
            return False

    def data(self, connection: AsyncpgConnection) -> Data:
        return PostgresData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, asyncpg.PostgresError):
            return translated(sqlstate(error) or "", str(error))
        return unavailable() if isinstance(error, UNAVAILABLE) else None


async def _connected(connecting: Awaitable[Raw]) -> Raw:
    """Return the result of a connect that, if the page is cancelled, may end by itself first."""
    attempt = asyncio.ensure_future(connecting)
    try:
        return await asyncio.shield(attempt)
    except asyncio.CancelledError:
        try:
            await asyncio.wait([attempt], timeout=TIMEOUTS.goodbye)
        finally:
            # The attempt may succeed in spite of the cancellation.
            attempt.add_done_callback(_terminate)
            attempt.cancel()
        raise


def _terminate(attempt: asyncio.Future[Raw]) -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().terminate()
