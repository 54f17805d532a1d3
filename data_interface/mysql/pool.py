"""The pool of asyncmy and aiomysql, which have the same code: asyncmy began as a copy."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Optional

from typing_extensions import Protocol

from data_interface.deadline import Deadline
from data_interface.timeouts import TIMEOUTS


class PoolSource(Protocol):
    """The part of ``driver.MysqlDriver`` that the pool uses."""

    wakes_waiters: bool

    async def make_pool(self, size: int) -> Any: ...

    def connected(self, raw: Any) -> Any: ...

    async def disconnect(self, connection: Any) -> None: ...


class MysqlPool:
    """The library's pool, with its defaults except for the size."""

    def __init__(self, driver: PoolSource, size: int) -> None:
        self._driver = driver
        self._size = size
        self._pool: Any = None
        # How many pages are acquiring a connection now.
        self._acquiring = 0
        self._waking: Optional[asyncio.Future[None]] = None

    async def open(self) -> None:
        self._pool = await self._driver.make_pool(self._size)

    async def acquire(self) -> Any:
        enough = self._pool.freesize > self._acquiring
        self._acquiring += 1
        try:
            found = await (self._pool.acquire() if enough else self._acquire_in_task())
        finally:
            self._acquiring -= 1
        return self._driver.connected(found)

    async def _acquire_in_task(self) -> Any:
        """Acquire in a task of its own, so that a page which is cancelled need not wait for it.

        When the library's ``acquire`` is cancelled, it first waits for the pool's lock. Another
        page holds that lock while it connects: for ever, if the database hangs.
        """
        waiting = asyncio.ensure_future(self._acquire())
        try:
            return await asyncio.shield(waiting)
        except asyncio.CancelledError:
            waiting.add_done_callback(self._take_back)
            waiting.cancel()
            raise

    async def _acquire(self) -> Any:
        return await self._pool.acquire()

    def _take_back(self, waiting: asyncio.Future[Any]) -> None:
        """Release the connection that a cancelled page got too late, or retrieve the error."""
        if not waiting.cancelled() and waiting.exception() is None:
            self._pool.release(waiting.result())

    async def release(self, connection: Any, broken: bool) -> None:
        try:
            if broken:
                await self._driver.disconnect(connection)
        finally:
            self._pool.release(connection.raw)
            waking = self._waking is not None and not self._waking.done()
            if broken and self._acquiring and not self._driver.wakes_waiters and not waking:
                self._waking = asyncio.ensure_future(self._wake())

    async def _wake(self) -> None:
        """Wake a waiting page, which then fills the pool up with new connections."""
        if self._pool.freesize:
            # This connection is free again, and its release has woken the page.
            return
        # In a pool without free connections, ``clear`` does no more than wake a page.
        with contextlib.suppress(Exception):
            await self._pool.clear()

    async def close(self) -> None:
        if self._pool is None:
            return
        self._pool.close()
        with contextlib.suppress(Exception), Deadline(TIMEOUTS.close):
            await self._pool.wait_closed()
        self._pool.terminate()
