"""A unit of work: one page's hold on a connection, within one time limit, whatever the mode."""

from __future__ import annotations

import asyncio
from functools import partial
from types import TracebackType
from typing import Any, Awaitable, Callable, Optional, Type

from data_interface.deadline import UNIT_SECONDS, Limited, Round, Rounds
from data_interface.driver import Driver, connect, raise_translated
from data_interface.store import Data, StoreError


class Mode:
    """How connections are kept. ``acquire`` hands out a unit of work."""

    def __init__(self, driver: Driver, size: int) -> None:
        self.driver = driver
        self._size = size
        self.rounds = Rounds(UNIT_SECONDS)
        # See ``store.Store.acquire``.
        self.acquire: Callable[[], Unit] = partial(Unit, self)

    async def open(self) -> None:
        """Prove that the database can be reached."""
        await self.driver.disconnect(await connect(self.driver))

    def ready(self, unit: Unit) -> Optional[Data]:
        """The page's view of a connection that the unit need not wait for, or None: ``take`` one.

        Its ``connection`` is the unit's then.
        """
        return None

    async def take(self, unit: Unit) -> Any:
        """A connection for one unit of work; cancelled when the unit's time is over."""
        raise NotImplementedError

    @property
    def taker(self) -> Mode:
        """The mode that waits for connections: this one, unless it leaves that to another."""
        return self

    def give_back(self, connection: Any, unit: Unit, broken: bool) -> Optional[Awaitable[None]]:
        """The unit is over; ``broken`` when it did not end well. None: nothing to wait for."""
        raise NotImplementedError

    def view(self, connection: Any, unit: Unit) -> Data:
        """The page's view of a connection."""
        return self.driver.data(connection)

    async def close(self) -> None:
        """End every connection that is kept."""


class Unit(Limited):
    """``async with`` one of these is a page: UNIT_SECONDS from before the connection to after."""

    __slots__ = ("_mode", "_round", "connection", "mark")

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._round: Round
        self.connection: Any = None
        # For the mode's own use.
        self.mark = 0

    async def __aenter__(self) -> Data:
        mode = self._mode
        self._round = mode.rounds.join(self)
        self.begin(mode.rounds.loop)
        data = mode.ready(self)
        if data is not None:
            return data
        try:
            self.connection = await mode.take(self)
        except BaseException as error:
            self._end(error)
            raise
        if self.struck:
            await self._end_swallowed()
        return mode.view(self.connection, self)

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        broken = error is not None and not isinstance(error, StoreError)
        connection, self.connection = self.connection, None
        try:
            leaving = self._mode.give_back(connection, self, broken)
            if leaving is not None:
                await leaving
        except BaseException as trouble:
            self._end(trouble)
            raise
        self._round.discard(self)
        # ``settle``, without a call of it where the limit has nothing to say: on nearly every page.
        if self.struck:
            self.settle(error)
        self._task = None
        if broken:
            raise_translated(self._mode.driver, error)

    def _end(self, error: Optional[BaseException]) -> None:
        self._round.discard(self)
        self.settle(error)
        raise_translated(self._mode.driver, error)

    async def _end_swallowed(self) -> None:
        """Some pools lose a cancellation when a connection comes in the same moment."""
        error = asyncio.CancelledError()
        await self.__aexit__(type(error), error, None)
        raise error
