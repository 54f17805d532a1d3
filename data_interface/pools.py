"""Connections that are kept, one page on each at a time: the driver's own pool, and our gate."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Awaitable, Callable, Deque, Dict, Optional

from data_interface.deadline import Deadline
from data_interface.driver import Driver, Pool, raise_translated
from data_interface.store import Data
from data_interface.unit import Mode, Unit

OPEN_SECONDS = 10.0
RETRY_SECONDS = 0.1


class Single:
    """One attempt at a time, whoever asks; a failed one is the answer for RETRY_SECONDS."""

    def __init__(self, attempt: Callable[[], Awaitable[None]]) -> None:
        self._attempt = attempt
        self._running: Optional[asyncio.Future[None]] = None

    async def made(self) -> None:
        """Wait for the attempt under way, or begin one; who is cancelled does not end it."""
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
        """Nobody needs it any more."""
        if self._running is not None:
            self._running.cancel()


class Own(Mode):
    """``pool`` where the driver has one: what is done when, is the driver's way of doing it."""

    def __init__(self, driver: Driver, size: int, pool: Pool) -> None:
        super().__init__(driver, size)
        self._pool = pool
        self._taken = 0
        self._reopening = Single(self._reopen)
        self._is_open = False

    async def _reopen(self) -> None:
        """Some pools wait long for what a single connection says at once."""
        await super().open()
        await self.open()

    async def open(self) -> None:
        try:
            with Deadline(OPEN_SECONDS):
                await self._pool.open()
        except BaseException as error:
            await self._pool.close()
            raise_translated(self.driver, error)
            raise
        self._is_open = True

    async def take(self, unit: Unit) -> Any:
        if not self._is_open:
            # The database was away when the store was opened.
            await self._reopening.made()
        unit.crowded = self._taken >= self._size
        connection = await self._pool.acquire()
        while not self.driver.is_open(connection):
            await self._pool.release(connection, broken=True)
            # Neither need have waited: a pool that hands out what was lost must not stop the loop.
            await asyncio.sleep(0)
            connection = await self._pool.acquire()
        unit.crowded = False
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
    """At most ``size`` holders at a time; others wait in order, for as long as their units may.

    ``asyncio.Semaphore`` does not keep the order on CPython 3.7.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._waiting: Deque[asyncio.Future[None]] = deque()

    async def enter(self, unit: Unit) -> None:
        """Wait for a place."""
        if self._free and not self._waiting:
            self._free -= 1
            return
        turn = asyncio.get_event_loop().create_future()
        self._waiting.append(turn)
        unit.crowded = True
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise
        unit.crowded = False

    def leave(self) -> None:
        """Hand the place to the one who waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Gated(Mode):
    """``gate``; ``pool`` where the driver has none; ``one`` as a pool of one.

    Connections are opened when they are needed, up to ``size``; the one used last is used first.
    """

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._gate = Gate(size)
        self._idle: Deque[Any] = deque()
        self._views: Dict[int, Data] = {}

    async def open(self) -> None:
        async with self.acquire():
            """The first connection is made now: it proves that there is a database."""

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
        # A page that ended badly may have left a request under way: its answer must not be taken
        # for the next page's.
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
