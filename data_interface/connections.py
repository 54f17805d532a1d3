"""The connection modes, once for every driver: ``one``, ``pool``, ``gate``, ``multi``, ``query``.

A driver says how to connect and how to close, and brings its own pool where it has one; how
connections are kept and shared stands here, so that what differs between two backends is the
driver and nothing else. Every mode calls the driver's connection in the same way, and has the same
limit of time: see ``unit``.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Optional

from data_interface.driver import Driver, connect
from data_interface.pools import Gate, Gated, Own, Single
from data_interface.store import Data
from data_interface.unit import Mode, Unit
from data_interface.watch import watched

# Connections open at once in the modes that make new ones: below what a database allows by default.
MOST_CONNECTIONS = 64


class Shared(Mode):
    """``one`` for a driver that multiplexes: every page uses the same connection at once."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._connection: Any = None
        self._data: Optional[Data] = None
        self._connecting = Single(self._connect)
        self._answered = 0

    async def open(self) -> None:
        await self._connecting.made()

    def ready(self, unit: Unit) -> Optional[Data]:
        unit.mark, unit.connection = self._answered, self._connection
        if self._connection is None or not self.driver.is_open(self._connection):
            return None
        return self._data

    async def take(self, unit: Unit) -> Any:
        await self._connecting.made()
        unit.mark = self._answered
        return self._connection

    async def _connect(self) -> None:
        if self._connection is not None:
            await self.driver.disconnect(self._connection)
        self._connection = await connect(self.driver)
        self._data = self.driver.data(self._connection)

    def view(self, connection: Any, unit: Unit) -> Data:
        return self._data  # type: ignore[return-value]  # take() made it

    def give_back(self, connection: Any, unit: Unit, broken: bool) -> Optional[Awaitable[None]]:
        """Others are using it: only one that answered nobody during a whole unit is dropped."""
        if not broken:
            self._answered += 1
        elif unit.struck and unit.mark == self._answered:
            return self.driver.disconnect(connection)
        return None

    async def close(self) -> None:
        if self._connection is not None:
            await self.driver.disconnect(self._connection)


class Multi(Mode):
    """``multi``: a new connection for each page request."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._gate = Gate(MOST_CONNECTIONS)

    async def take(self, unit: Unit) -> Any:
        await self._gate.enter(unit)
        try:
            return await self.driver.connect()
        except BaseException:
            self._gate.leave()
            raise

    async def give_back(self, connection: Any, unit: Unit, broken: bool) -> None:
        try:
            await self.driver.disconnect(connection)
        finally:
            self._gate.leave()


class Query(Mode):
    """``query``: a new connection for each request to the database."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._multi = Multi(driver, size)

    @property
    def taker(self) -> Mode:
        return self._multi

    async def take(self, unit: Unit) -> Any:
        return PerRequest(self._multi, unit)

    async def give_back(self, connection: Any, unit: Unit, broken: bool) -> None:
        """Nothing is kept between requests."""


class PerRequest:
    """Stands in for a connection: every method call opens one, uses it and closes it."""

    def __init__(self, mode: Multi, unit: Unit) -> None:
        self._mode = mode
        self._unit = unit

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def request(*arguments: Any, **options: Any) -> Any:
            connection = await self._mode.take(self._unit)
            try:
                return await getattr(connection, name)(*arguments, **options)
            finally:
                await self._mode.give_back(connection, self._unit, broken=False)

        return request


def mode(name: str, driver: Driver, size: int) -> Mode:
    """The connection mode of that name; watched where somebody asks for it."""
    return watched(lambda used: _mode(name, used, size), driver)


def _mode(name: str, driver: Driver, size: int) -> Mode:
    if name == "one":
        return Shared(driver, size) if driver.multiplexed else Gated(driver, 1)
    own = driver.pool(size) if name == "pool" else None
    if own is not None:
        return Own(driver, size, own)
    return {"pool": Gated, "gate": Gated, "multi": Multi, "query": Query}[name](driver, size)
