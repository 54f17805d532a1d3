"""The connection modes, once for every driver: ``one``, ``pool``, ``multi``, ``query``.

A driver says how to connect and how to close; how connections are kept and shared stands here, so
that what differs between two backends is the driver and nothing else.
"""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Any, Awaitable, Callable, Deque, Dict, Optional, Type

from data_interface.driver import Driver, connect, raise_translated
from data_interface.store import Busy, Data, StoreError

# See driver.py for the time that a page has.
WAIT_SECONDS = 0.9
RETRY_SECONDS = 0.1

# Connections open at once in the modes that make new ones: below what a database allows by default.
MOST_CONNECTIONS = 64


class Gate:
    """At most ``size`` holders at a time; others wait in order, for WAIT_SECONDS at most.

    ``asyncio.Semaphore`` with a time limit needs a task for each wait; this needs one timer.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._waiting: Deque[asyncio.Future[None]] = deque()

    async def enter(self) -> None:
        """Wait for a place; ``Busy`` after WAIT_SECONDS."""
        if self._free and not self._waiting:
            self._free -= 1
            return
        loop = asyncio.get_event_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        timer = loop.call_later(WAIT_SECONDS, _give_up, turn)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave()
            raise
        finally:
            timer.cancel()

    def leave(self) -> None:
        """Hand the place to the one who waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


def _give_up(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_exception(Busy("No database connection became free in time."))


class Mode:
    """How connections are kept. ``acquire`` hands out a unit of work."""

    def __init__(self, driver: Driver, size: int) -> None:
        self.driver = driver
        self._size = size

    async def open(self) -> None:
        """Prove that the database can be reached."""
        await self.driver.disconnect(await connect(self.driver))

    def acquire(self) -> Unit:
        """See ``store.Store.acquire``."""
        return Unit(self)

    async def take(self) -> Any:
        """A connection for one unit of work."""
        raise NotImplementedError

    async def give_back(self, connection: Any, broken: bool) -> None:
        """The unit is over; ``broken`` when it did not end well."""
        raise NotImplementedError

    def view(self, connection: Any) -> Data:
        """The page's view of a connection."""
        return self.driver.data(connection)

    async def close(self) -> None:
        """End every connection that is kept."""


class Unit:
    """One page request's hold on a connection."""

    __slots__ = ("_connection", "_mode")

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._connection: Any = None

    async def __aenter__(self) -> Data:
        self._connection = await self._mode.take()
        return self._mode.view(self._connection)

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        broken = error is not None and not isinstance(error, StoreError)
        await self._mode.give_back(self._connection, broken)
        if broken:
            raise_translated(self._mode.driver, error)


class Shared(Mode):
    """``one`` for a driver that multiplexes: every page uses the same connection at once."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._connection: Any = None
        self._data: Optional[Data] = None
        self._connecting: Optional[asyncio.Future[Any]] = None

    async def open(self) -> None:
        await self.take()

    async def take(self) -> Any:
        if self._connection is None or not self.driver.is_open(self._connection):
            await self._reconnect()
        return self._connection

    async def _reconnect(self) -> None:
        """One attempt at a time, whoever asks; a failed one is the answer for RETRY_SECONDS."""
        if self._connecting is None:
            self._connecting = asyncio.ensure_future(self._attempt())
        await asyncio.shield(self._connecting)

    async def _attempt(self) -> None:
        loop = asyncio.get_event_loop()
        try:
            if self._connection is not None:
                await self.driver.disconnect(self._connection)
            self._connection = await connect(self.driver)
            self._data = self.driver.data(self._connection)
        except BaseException:
            loop.call_later(RETRY_SECONDS, self._forget_attempt)
            raise
        self._forget_attempt()

    def _forget_attempt(self) -> None:
        self._connecting = None

    def view(self, connection: Any) -> Data:
        return self._data  # type: ignore[return-value]  # take() made it

    async def give_back(self, connection: Any, broken: bool) -> None:
        """Others are using it: a lost connection is seen by ``is_open`` at the next take."""

    async def close(self) -> None:
        if self._connection is not None:
            await self.driver.disconnect(self._connection)


class Pool(Mode):
    """``pool``, and ``one`` as a pool of one: a page has a connection for itself, then returns it.

    Connections are opened when they are needed, up to ``size``; the one used last is used first.
    """

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._gate = Gate(size)
        self._idle: Deque[Any] = deque()
        self._views: Dict[int, Data] = {}

    async def open(self) -> None:
        await self.give_back(await self.take(), broken=False)

    async def take(self) -> Any:
        await self._gate.enter()
        try:
            while self._idle:
                connection = self._idle.pop()
                if self.driver.is_open(connection):
                    return connection
                await self._discard(connection)
            connection = await connect(self.driver)
        except BaseException:
            self._gate.leave()
            raise
        self._views[id(connection)] = self.driver.data(connection)
        return connection

    def view(self, connection: Any) -> Data:
        return self._views[id(connection)]

    async def give_back(self, connection: Any, broken: bool) -> None:
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


class Multi(Mode):
    """``multi``: a new connection for each page request."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._gate = Gate(MOST_CONNECTIONS)

    async def take(self) -> Any:
        await self._gate.enter()
        try:
            return await connect(self.driver)
        except BaseException:
            self._gate.leave()
            raise

    async def give_back(self, connection: Any, broken: bool) -> None:
        try:
            await self.driver.disconnect(connection)
        finally:
            self._gate.leave()


class Query(Mode):
    """``query``: a new connection for each request to the database."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._data = driver.data(PerRequest(Multi(driver, size)))

    async def take(self) -> Any:
        return None

    def view(self, connection: Any) -> Data:
        return self._data

    async def give_back(self, connection: Any, broken: bool) -> None:
        """Nothing is kept between requests."""


class PerRequest:
    """Stands in for a connection: every method call opens one, uses it and closes it."""

    def __init__(self, mode: Multi) -> None:
        self._mode = mode

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def request(*arguments: Any, **options: Any) -> Any:
            connection = await self._mode.take()
            try:
                return await getattr(connection, name)(*arguments, **options)
            finally:
                await self._mode.give_back(connection, broken=False)

        return request


def mode(name: str, driver: Driver, size: int) -> Mode:
    """The connection mode of that name: ``one``, ``pool``, ``multi`` or ``query``."""
    if name == "one":
        return Shared(driver, size) if driver.multiplexed else Pool(driver, 1)
    return {"pool": Pool, "multi": Multi, "query": Query}[name](driver, size)
