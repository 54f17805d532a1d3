"""The connection modes, once for every driver: ``one``, ``pool``, ``gate``, ``multi``, ``query``.

A driver says how to connect and how to close, and brings its own pool if it has one. How
connections are kept and shared is written here, so that two backends differ in their driver and in
nothing else. Every mode calls the driver's connection in the same way.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Optional

from data_interface.driver import Driver, connect
from data_interface.pools import DriverPool, Gate, GatedPool, SingleAttempt
from data_interface.store import Data
from data_interface.unit import Mode, Unit
from data_interface.watch import watched

# The most connections at once in the modes that make new ones; databases allow more by default.
MOST_CONNECTIONS = 64


class SharedConnection(Mode):
    """``one`` for a driver that multiplexes: all pages use the same connection at once."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._connection: Any = None
        self._data: Optional[Data] = None
        self._connecting = SingleAttempt(self._connect)
        # How many units of work ended well.
        self._answered = 0

    async def open(self) -> None:
        await self._connecting.done()

    def ready(self, unit: Unit) -> Optional[Data]:
        unit.mark, unit.connection = self._answered, self._connection
        if self._connection is None or not self.driver.is_open(self._connection):
            return None
        return self._data

    async def take(self, unit: Unit) -> Any:
        await self._connecting.done()
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
        """Keep the connection, unless it answered no page for the whole time of this one."""
        if not broken:
            self._answered += 1
        elif unit.expired and unit.mark == self._answered:
            return self.driver.disconnect(connection)
        return None

    async def close(self) -> None:
        if self._connection is not None:
            await self.driver.disconnect(self._connection)


class ConnectionPerPage(Mode):
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


class ConnectionPerQuery(Mode):
    """``query``: a new connection for each request to the database."""

    def __init__(self, driver: Driver, size: int) -> None:
        super().__init__(driver, size)
        self._per_page = ConnectionPerPage(driver, size)

    @property
    def waiting_mode(self) -> Mode:
        return self._per_page

    async def take(self, unit: Unit) -> Any:
        return _NewForEachCall(self._per_page, unit)

    async def give_back(self, connection: Any, unit: Unit, broken: bool) -> None:
        """Do nothing: no connection is kept between requests."""


class _NewForEachCall:
    """Stands for a connection: every method call opens a connection, uses it and closes it."""

    def __init__(self, mode: ConnectionPerPage, unit: Unit) -> None:
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
    """Return the connection mode of that name; it writes its figures if SITE_FIGURES asks so."""
    return watched(lambda used: _mode(name, used, size), driver)


def _mode(name: str, driver: Driver, size: int) -> Mode:
    if name == "one":
        return SharedConnection(driver, size) if driver.multiplexed else GatedPool(driver, 1)
    pool = driver.pool(size) if name == "pool" else None
    if pool is not None:
        return DriverPool(driver, size, pool)
    kinds = {"multi": ConnectionPerPage, "query": ConnectionPerQuery}
    return kinds.get(name, GatedPool)(driver, size)
