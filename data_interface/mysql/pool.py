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

    pool_tells: bool

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
        # Pages that are on their way to a connection, or wait for one.
        self._asking = 0
        self._waking: Optional[asyncio.Future[None]] = None

    async def open(self) -> None:
        """See ``driver.Pool``."""
        self._pool = await self._driver.make_pool(self._size)

    async def acquire(self) -> Any:
        """See ``driver.Pool``."""
        for_all = self._pool.freesize > self._asking
        self._asking += 1
        try:
            found = await (self._pool.acquire() if for_all else self._acquire_apart())
        finally:
            self._asking -= 1
        return self._driver.connected(found)

    async def _acquire_apart(self) -> Any:
        """In a task of its own, as it may have to wait.

        Cancelled in its wait for others, the library's waits until nobody connects any more: for
        ever, where the database hangs.
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
            if broken and self._asking and not self._driver.pool_tells:
                self._tell()

    def _tell(self) -> None:
        """That there is room, to one who waits: he makes as many connections as there is room."""
        if self._waking is None or self._waking.done():
            self._waking = asyncio.ensure_future(self._wake())

    async def _wake(self) -> None:
        if self._pool.freesize:
            # Who gave it back told him.
            return
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
