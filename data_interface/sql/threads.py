"""Units of work and connection modes for pages in threads, which have no event loop.

They have the interface of those in an event loop, but none of their coroutines ever suspends: a
call of ``send(None)`` runs each to its end. How long a page waits for its database is limited by
the driver, which knows the page's ``deadline``.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from types import TracebackType
from typing import Any, Callable, Optional, Type

from data_interface.connections import MOST_CONNECTIONS, ConnectionPerQuery
from data_interface.driver import Driver, raise_translated
from data_interface.store import Busy, Data, StoreError, Unavailable
from data_interface.timeouts import TIMEOUTS
from data_interface.unit import Mode
from data_interface.watch import watched


class ThreadUnit:
    """The context manager of one page in a thread, with one time limit for all that it asks."""

    __slots__ = ("_mode", "connection", "deadline")

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self.connection: Any = None
        self.deadline = 0.0

    def left(self) -> float:
        """Return the seconds until the deadline. Raise ``Unavailable`` if there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Unavailable("The database did not answer in time.")
        return left

    async def __aenter__(self) -> Data:
        self.deadline = time.monotonic() + TIMEOUTS.page
        mode: Any = self._mode
        mode.ready(self)
        try:
            self.connection = await mode.take(self)
        except Exception as error:
            raise_translated(mode.driver, error)
            raise
        view: Data = mode.view(self.connection, self)
        return view

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        broken = error is not None and not isinstance(error, StoreError)
        mode: Any = self._mode
        await mode.give_back(self.connection, self, broken)
        if broken:
            raise_translated(mode.driver, error)


class ThreadMode(Mode):
    """A connection mode for threads. Its driver's coroutines never suspend either."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self.acquire: Callable[[], Any] = partial(ThreadUnit, self)


class ThreadPool(ThreadMode):
    """``pool``: the driver's own pool, which connects again by itself."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._pool: Any = driver.pool(size)

    async def open(self) -> None:
        await super().open()
        await self._pool.open()
        try:
            self._pool.fill()
        except Exception as error:
            raise_translated(self.driver, error)
            raise

    async def take(self, unit: Any) -> Any:
        connection = self._pool.acquire(unit.left())
        while not self.driver.is_open(connection):
            await self._pool.release(connection, broken=True)
            connection = self._pool.acquire(unit.left())
        connection.deadline = unit.deadline
        return connection

    async def give_back(self, connection: Any, unit: Any, broken: bool) -> None:
        await self._pool.release(connection, broken)

    async def close(self) -> None:
        await self._pool.close()


class ThreadPerPage(ThreadMode):
    """``multi``: a new connection for each page request."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._gate = threading.Semaphore(MOST_CONNECTIONS)

    async def take(self, unit: Any) -> Any:
        if not self._gate.acquire(timeout=unit.left()):
            raise Busy("No database connection became free in time.")
        driver: Any = self.driver
        try:
            connection = await driver.connect(unit.left())
        except BaseException:
            self._gate.release()
            raise
        connection.deadline = unit.deadline
        return connection

    async def give_back(self, connection: Any, unit: Any, broken: bool) -> None:
        try:
            await self.driver.disconnect(connection)
        finally:
            self._gate.release()


class ThreadPerQuery(ThreadMode, ConnectionPerQuery):
    """``query``: a new connection for each request to the database."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._per_page: Any = ThreadPerPage(driver, size)


MODES = {"pool": ThreadPool, "multi": ThreadPerPage, "query": ThreadPerQuery}


def thread_mode(name: str, driver: Driver, size: int) -> Mode:
    """Return the connection mode of that name for threads, as ``connections.mode`` does."""
    return watched(lambda used: MODES[name](used, size), driver)
