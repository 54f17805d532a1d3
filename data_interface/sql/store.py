"""The store on any SQL database: its schema is made once, and one process cleans it."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Awaitable, Callable, NamedTuple, Optional

from data_interface.connections import mode
from data_interface.deadline import Deadline
from data_interface.driver import Driver, connect, raise_translated
from data_interface.sql.data import Connection
from data_interface.store import CLEAN_EVERY_SECONDS
from data_interface.timeouts import TIMEOUTS
from data_interface.tries import Tries
from data_interface.unit import Mode, Unit

LOG = logging.getLogger(__name__)

# A function of the connection mode's name, the driver of pages, and the size of a pool.
NewMode = Callable[[str, Driver, int], Mode]


class Drivers(NamedTuple):
    """The drivers of pages, of the schema's creation and of the cleaning; their settings differ."""

    pages: Driver
    setup: Driver
    cleaning: Driver


class Upkeep(NamedTuple):
    """The functions that a database needs besides answering pages.

    ``create`` makes the schema and loads the stickers if they are missing. ``choose`` returns
    whether this connection's process cleans; the database forgets that when the connection ends.
    ``clean`` removes rows that are too old or too many.
    """

    create: Callable[[Connection], Awaitable[None]]
    choose: Callable[[Connection], Awaitable[bool]]
    clean: Callable[[Connection], Awaitable[None]]


class SqlStore:
    """A store on an SQL database, in one connection mode."""

    def __init__(
        self,
        connection: str,
        size: int,
        drivers: Drivers,
        upkeep: Upkeep,
        new_mode: NewMode = mode,
    ) -> None:
        self._drivers = drivers
        self._driver = drivers.pages
        self._upkeep = upkeep
        self._mode = new_mode(connection, drivers.pages, size)
        self._cleaning: Optional[asyncio.Future[None]] = None
        self.acquire: Callable[[], Unit] = self._mode.acquire

    async def open(self) -> None:
        try:
            await self._create()
            await self._mode.open()
        finally:
            # A server that starts while the database is away must clean it once it is back.
            cleaner = Cleaner(self._drivers.cleaning, self._upkeep)
            self._cleaning = asyncio.ensure_future(cleaner.run())

    async def _create(self) -> None:
        driver = self._drivers.setup
        connection = await connect(driver)
        try:
            with Deadline(TIMEOUTS.schema):
                await self._upkeep.create(connection)
        except Exception as error:
            raise_translated(driver, error)
            raise
        finally:
            await driver.disconnect(connection)

    async def close(self) -> None:
        if self._cleaning is not None:
            self._cleaning.cancel()
            await asyncio.wait([self._cleaning], timeout=TIMEOUTS.close)
        await self._mode.close()


class Cleaner:
    """Cleans the database while the store is open, on a connection of its own."""

    def __init__(self, driver: Driver, upkeep: Upkeep) -> None:
        self._driver = driver
        self._upkeep = upkeep
        self._tries = Tries(LOG, "cleaning")

    async def run(self) -> None:
        """Clean until cancelled, whatever fails: a database that fills up would be worse."""
        while True:
            try:
                await self._while_connected()
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001  see the docstring
                self._tries.failed(error)
            await asyncio.sleep(CLEAN_EVERY_SECONDS)

    async def _while_connected(self) -> None:
        connection = await connect(self._driver)
        chosen = False
        try:
            while True:
                chosen = chosen or await self._upkeep.choose(connection)
                if chosen:
                    await self._upkeep.clean(connection)
                self._tries.succeeded()
                await asyncio.sleep(CLEAN_EVERY_SECONDS)
        except Exception as error:
            raise_translated(self._driver, error)
            raise
        finally:
            await self._driver.disconnect(connection)


async def first(
    connection: Connection, statement: str, *arguments: Any, seconds: float = 0.0
) -> Any:
    """Return the first value of the first row, within that time or that of a page."""
    with Deadline(seconds or TIMEOUTS.page):
        return (await connection.fetch(statement, *arguments))[0][0]
