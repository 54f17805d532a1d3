"""``store.Store`` on any SQL database: a schema that is made once, and cleaned by one process."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Awaitable, Callable, NamedTuple, Optional

from data_interface.connections import mode
from data_interface.deadline import UNIT_SECONDS, Deadline
from data_interface.driver import Driver, connect, raise_translated
from data_interface.sql.data import Connection
from data_interface.store import CLEAN_EVERY_SECONDS
from data_interface.tries import Tries
from data_interface.unit import Unit

SETUP_SECONDS = 15.0
# A request of the cleaning works for nobody who waits: on a crowded database it may take long.
ROUND_SECONDS = 10.0
# How long a round of cleaning may take to see that it is over.
CLOSE_SECONDS = 2.0

LOG = logging.getLogger(__name__)


class Drivers(NamedTuple):
    """A driver of pages, of the schema's making, and of the cleaning: each has its own settings."""

    pages: Driver
    founding: Driver
    cleaning: Driver


class Upkeep(NamedTuple):
    """What a database needs besides answering pages.

    ``found`` makes the schema and loads the stickers where they are missing. ``choose`` says
    whether this connection's process cleans: the database forgets that with the connection.
    ``clean`` removes what is too old or too much.
    """

    found: Callable[[Connection], Awaitable[None]]
    choose: Callable[[Connection], Awaitable[bool]]
    clean: Callable[[Connection], Awaitable[None]]


class SqlStore:
    """See ``store.Store``."""

    def __init__(self, connection: str, size: int, drivers: Drivers, upkeep: Upkeep) -> None:
        self._drivers = drivers
        self._driver = drivers.pages
        self._upkeep = upkeep
        self._mode = mode(connection, drivers.pages, size)
        self._cleaning: Optional[asyncio.Future[None]] = None
        self.acquire: Callable[[], Unit] = self._mode.acquire

    async def open(self) -> None:
        """See ``store.Store.open``."""
        try:
            await self._found()
            await self._mode.open()
        finally:
            # Whoever goes on though the database is away must not let it fill once it is back.
            cleaner = Cleaner(self._drivers.cleaning, self._upkeep)
            self._cleaning = asyncio.ensure_future(cleaner.run())

    async def _found(self) -> None:
        """The schema and the stickers, where they are missing."""
        driver = self._drivers.founding
        connection = await connect(driver)
        try:
            with Deadline(SETUP_SECONDS):
                await self._upkeep.found(connection)
        except Exception as error:
            raise_translated(driver, error)
            raise
        finally:
            await driver.disconnect(connection)

    async def close(self) -> None:
        """See ``store.Store.close``."""
        if self._cleaning is not None:
            self._cleaning.cancel()
            await asyncio.wait([self._cleaning], timeout=CLOSE_SECONDS)
        await self._mode.close()


class Cleaner:
    """Cleans for as long as the store is open, on a connection of its own."""

    def __init__(self, driver: Driver, upkeep: Upkeep) -> None:
        self._driver = driver
        self._upkeep = upkeep
        self._tries = Tries(LOG, "cleaning")

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._while_connected()
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001  a database that fills up is worse
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
                self._tries.worked()
                await asyncio.sleep(CLEAN_EVERY_SECONDS)
        except Exception as error:
            raise_translated(self._driver, error)
            raise
        finally:
            await self._driver.disconnect(connection)


async def first(
    connection: Connection, statement: str, *arguments: Any, seconds: float = 0.0
) -> Any:
    """The first value of the first row, within that time or UNIT_SECONDS."""
    with Deadline(seconds or UNIT_SECONDS):
        return (await connection.fetch(statement, *arguments))[0][0]
