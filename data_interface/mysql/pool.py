"""The pool of asyncmy and of aiomysql: one began as a copy of the other."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Optional

from typing_extensions import Protocol

from data_interface.deadline import Deadline

CLOSE_SECONDS = 0.5


class Poolable(Protocol):
    """What a driver brings; see ``driver.MysqlDriver``."""

    async def make_pool(self, size: int) -> Any:
        """The library's pool."""

    def connected(self, raw: Any) -> Any:
        """The driver's view of a library's connection."""

    async def disconnect(self, connection: Any) -> None:
        """See ``data_interface.driver.Driver``."""


class OwnPool:
    """``driver.Pool``, with the library's defaults but for the size."""

    def __init__(self, driver: Poolable, size: int) -> None:
        self._driver = driver
        self._size = size
        self._pool: Any = None
        self._waking: Optional[asyncio.Future[None]] = None

    async def open(self) -> None:
        """See ``driver.Pool``."""
        self._pool = await self._driver.make_pool(self._size)

    async def acquire(self) -> Any:
        """See ``driver.Pool``."""
        if self._pool.freesize:
            return self._driver.connected(await self._pool.acquire())
        return await self._acquire_apart()

    async def _acquire_apart(self) -> Any:
        """In a task of its own, as it may have to wait.

        Cancelled in its wait for others, the library's waits until nobody connects any more: for
        ever, where the database hangs.
        """
        waiting = asyncio.ensure_future(self._acquire())
        try:
            return self._driver.connected(await asyncio.shield(waiting))
        except asyncio.CancelledError:
            waiting.add_done_callback(self._take_back)
            waiting.cancel()
            raise

    async def _acquire(self) -> Any:
        return await self._pool.acquire()

    def _take_back(self, waiting: asyncio.Future[Any]) -> None:
        """What a cancelled page got after all; an error is nobody's then."""
        if not waiting.cancelled() and waiting.exception() is None:
            self._pool.release(waiting.result())

    async def release(self, connection: Any, broken: bool) -> None:
        """See ``driver.Pool``."""
        try:
            if broken:
                await self._driver.disconnect(connection)
        finally:
            self._pool.release(connection.raw)
            if broken and not self._pool.freesize:
                self._waking = asyncio.ensure_future(self._wake())

    async def _wake(self) -> None:
        """Tell one who waits that there is room for a new connection: aiomysql tells nobody."""
        with contextlib.suppress(Exception):
            await self._pool.clear()

    async def close(self) -> None:
        """See ``driver.Pool``."""
        if self._pool is None:
            return
        self._pool.close()
        with contextlib.suppress(Exception), Deadline(CLOSE_SECONDS):
            await self._pool.wait_closed()
        self._pool.terminate()
