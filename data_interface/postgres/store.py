"""``store.Store`` on any PostgreSQL driver."""

from __future__ import annotations

import asyncio
from typing import Callable, Dict, NamedTuple, Optional

from data_interface import HOUSEKEEPING
from data_interface.connections import mode
from data_interface.deadline import Deadline
from data_interface.driver import Driver, address, connect, raise_translated
from data_interface.postgres import upkeep
from data_interface.unit import Unit

# How long a round of cleaning may take to see that it is over.
CLOSE_SECONDS = 2.0


class Session(NamedTuple):
    """What a connection is for: its name in the server's statistics."""

    application_name: str

    @property
    def settings(self) -> Dict[str, str]:
        """The server's settings for the connection, by name."""
        return {"application_name": self.application_name, "search_path": upkeep.SCHEMA}


PAGES = Session("sticker-site")
KEEPING = Session(HOUSEKEEPING)

NewDriver = Callable[[str, Session], Driver]


class PostgresStore:
    """See ``store.Store``."""

    def __init__(self, connection: str, url: str, size: int, new_driver: NewDriver) -> None:
        """``new_driver(url, session)`` makes a driver of ``data.Connection``s."""
        address("postgres", url)
        self._url = url
        self._new_driver = new_driver
        self._driver = new_driver(url, PAGES)
        self._mode = mode(connection, self._driver, size)
        self._cleaning: Optional[asyncio.Future[None]] = None
        self.acquire: Callable[[], Unit] = self._mode.acquire

    async def open(self) -> None:
        """See ``store.Store.open``."""
        driver = self._new_driver(self._url, KEEPING)
        connection = await connect(driver)
        try:
            with Deadline(upkeep.SETUP_SECONDS):
                await upkeep.create_schema(connection)
        except Exception as error:
            raise_translated(driver, error)
            raise
        finally:
            await driver.disconnect(connection)
        await self._mode.open()
        self._cleaning = asyncio.ensure_future(upkeep.keep_clean(driver))

    async def close(self) -> None:
        """See ``store.Store.close``."""
        if self._cleaning is not None:
            self._cleaning.cancel()
            await asyncio.wait([self._cleaning], timeout=CLOSE_SECONDS)
        await self._mode.close()
