"""Connections that are kept, with one page on each at a time: a driver's own pool, and our gate."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Awaitable, Callable, Deque, Dict, Optional

from data_interface.deadline import Deadline, TimedBlock
from data_interface.driver import Driver, Pool, raise_translated
from data_interface.store import Data
from data_interface.timeouts import TIMEOUTS
from data_interface.unit import Mode, Unit

RETRY_SECONDS = 0.1


class SingleAttempt:
    """Runs one attempt at a time for all who ask; after a failure the next one RETRY_SECONDS later.

    Until then the failure is the answer.
    """

    def __init__(self, attempt: Callable[[], Awaitable[None]]) -> None:
        self._attempt = attempt
        self._running: Optional[asyncio.Future[None]] = None

    async def done(self) -> None:
        """Wait for the running attempt, or start one. Cancelling a waiter does not end it."""
        if self._running is None:
            self._running = asyncio.ensure_future(self._run())
        await asyncio.shield(self._running)

    async def _run(self) -> None:
        try:
            await self._attempt()
        except BaseException:
            asyncio.get_event_loop().call_later(RETRY_SECONDS, self._forget)
            raise
        self._forget()

    def _forget(self) -> None:
        self._running = None

    def cancel(self) -> None:
        """End the running attempt, if there is one."""
        if self._running is not None:
            self._running.cancel()


class DriverPool(Mode):
    """``pool`` for a driver that has a pool: the driver decides when to connect and to reset."""

    def __init__(self, driver: Driver, size: int, pool: Pool) -> None:
        super().__init__(driver, size)
        self._pool = pool
        self._taken = 0
        self._reopening = SingleAttempt(self._reopen)
        self._is_open = False

    async def _reopen(self) -> None:
        # A single connection fails at once where some pools wait for long.
        await super().open()
        await self.open()

    async def open(self) -> None:
        try:
            with Deadline(TIMEOUTS.open_pool):
                await self._pool.open()
        except BaseException as error:
            await self._pool.close()
            raise_translated(self.driver, error)
            raise
        self._is_open = True

    async def take(self, unit: Unit) -> Any:
        if not self._is_open:
            # The database was away when the store was opened.
            await self._reopening.done()
        unit.queued = self._taken >= self._size
        connection = await self._pool.acquire()
        while not self.driver.is_open(connection):
            await self._pool.release(connection, broken=True)
            # Releasing and acquiring may both return at once. A pool that hands out nothing but
            # lost connections must not block the event loop.
            await asyncio.sleep(0)
            connection = await self._pool.acquire()
        unit.queued = False
        self._taken += 1
        return connection

    async def give_back(self, connection: Any, unit: Unit, broken: bool) -> None:
        try:
            await self._pool.release(connection, broken)
        finally:
            self._taken -= 1

    async def close(self) -> None:
        self._reopening.cancel()
        await self._pool.close()


class Gate:
    """Lets ``size`` holders in at a time. Others wait in order, until their units expire.

    ``asyncio.Semaphore`` does not keep the order on CPython 3.7.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._waiting: Deque[asyncio.Future[None]] = deque()

    def enter_at_once(self) -> bool:
        """Take a place if one is free, and return whether it was."""
        if not self._free or self._waiting:
            return False
        self._free -= 1
        return True

    async def enter(self, unit: TimedBlock) -> None:
        """Wait for a place."""
        if self.enter_at_once():
            return
        turn = asyncio.get_event_loop().create_future()
        self._waiting.append(turn)
        unit.queued = True
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise
        unit.queued = False

    def leave(self) -> None:
        """Give the place to whoever waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class GatedPool(Mode):
    """``gate``, and ``pool`` for a driver that has none; with one connection it is ``one``.

    Connections are opened when they are needed, up to ``size``; the last used is used first.
    """

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._gate = Gate(size)
        self._idle: Deque[Any] = deque()
        self._views: Dict[int, Data] = {}

    async def open(self) -> None:
        async with self.acquire():
            """The first connection proves that the database can be reached."""

    async def take(self, unit: Unit) -> Any:
        await self._gate.enter(unit)
        try:
            while self._idle:
                connection = self._idle.pop()
                if self.driver.is_open(connection):
                    return connection
                await self._discard(connection)
            connection = await self.driver.connect()
        except BaseException:
            self._gate.leave()
            raise
        self._views[id(connection)] = self.driver.data(connection)
        return connection

    def view(self, connection: Any, unit: Unit) -> Data:
        return self._views[id(connection)]

    async def give_back(self, connection: Any, unit: Unit, broken: bool) -> None:
        # A page that failed may have left a request unanswered: the next page on the connection
        # would take the answer for its own.
        try:
            if broken or not self.driver.is_open(connection):
                await self._discard(connection)
            else:
                self._idle.append(connection)
        finally:
            self._gate.leave()

    async def _discard(self, connection: Any) -> None:
        self._views.pop(id(connection), None)
        await self.driver.disconnect(connection)

    async def close(self) -> None:
        while self._idle:
            await self._discard(self._idle.pop())
