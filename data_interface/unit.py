"""A unit of work: what one page does on a connection, within one time limit, in every mode."""

from __future__ import annotations

import asyncio
from functools import partial
from types import TracebackType
from typing import Any, Awaitable, Callable, Optional, Type

from data_interface.deadline import Batch, SharedTimer, TimedBlock
from data_interface.driver import Driver, connect, raise_translated
from data_interface.store import Data, StoreError
from data_interface.timeouts import TIMEOUTS


class Mode:
    """A connection mode: how connections are kept. ``acquire`` returns a unit of work."""

    def __init__(self, driver: Driver, size: int) -> None:
        self.driver = driver
        self._size = size
        self.timer = SharedTimer(TIMEOUTS.page)
        # Implements ``store.Store.acquire``.
        self.acquire: Callable[[], Unit] = partial(Unit, self)

    async def open(self) -> None:
        """Prove that the database can be reached."""
        await self.driver.disconnect(await connect(self.driver))

    def ready(self, unit: Unit) -> Optional[Data]:
        """Return the page's view of a connection if there is one at once; else None.

        It sets ``unit.connection``. After None, the unit calls ``take``.
        """
        return None

    async def take(self, unit: Unit) -> Any:
        """Return a connection for one unit of work; cancelled when the unit's time is over."""
        raise NotImplementedError

    @property
    def waiting_mode(self) -> Mode:
        """The mode whose ``take`` waits for connections, which may be another than this one."""
        return self

    def give_back(self, connection: Any, unit: Unit, broken: bool) -> Optional[Awaitable[None]]:
        """Take the connection back; ``broken`` if the unit failed. None if nothing is to await."""
        raise NotImplementedError

    def view(self, connection: Any, unit: Unit) -> Data:
        """Return the page's view of a connection."""
        return self.driver.data(connection)

    async def close(self) -> None:
        """End every connection that is kept."""


class Unit(TimedBlock):
    """The context manager of one page, with one time limit for all it does.

    The time runs from before it has a connection until after it has given that back.
    """

    __slots__ = ("_batch", "_mode", "connection", "mark")

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._batch: Batch
        self.connection: Any = None
        # A number for the mode's own use.
        self.mark = 0

    async def __aenter__(self) -> Data:
        mode = self._mode
        self._batch = mode.timer.join(self)
        self.begin(mode.timer.loop)
        data = mode.ready(self)
        if data is not None:
            return data
        try:
            self.connection = await mode.take(self)
        except BaseException as error:
            self._fail(error)
            raise
        if self.expired:
            # Some pools lose a cancellation when a connection becomes free at the same moment.
            lost = asyncio.CancelledError()
            await self.__aexit__(type(lost), lost, None)
            raise lost
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
            self._fail(trouble)
            raise
        self._batch.discard(self)
        # Nearly every page ends in time: ``finish`` is called for the others alone.
        if self.expired:
            self.finish(error)
        self._task = None
        if broken:
            raise_translated(self._mode.driver, error)

    def _fail(self, error: Optional[BaseException]) -> None:
        self._batch.discard(self)
        self.finish(error)
        raise_translated(self._mode.driver, error)
