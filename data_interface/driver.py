"""The interface between the connection modes and a database driver."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from typing_extensions import Protocol

from data_interface.deadline import Deadline
from data_interface.store import Data, Refused, StoreError, Unavailable
from data_interface.timeouts import TIMEOUTS
from databases import find
from runtime.address import Address, AddressError


class Pool(Protocol):
    """A driver's own pool. Its connections are like those of ``Driver.connect``."""

    async def open(self) -> None:
        """Make the pool ready. Errors of the driver may leave it; they are translated."""

    async def acquire(self) -> Any:
        """Wait for a connection. It may be cancelled at any time, without a word in the log."""

    async def release(self, connection: Any, broken: bool) -> None:
        """Take a connection back; if it is ``broken`` or lost, end it at once."""

    async def close(self) -> None:
        """End every connection, within a short time and without an error."""


class Driver(Protocol):
    """A database driver, as the connection modes use it.

    A driver sets no time limits: a unit of work has one, and cancels the page's task wherever it
    waits. Requests go through the driver's public calls, and are the same calls in every mode.
    A connection keeps no transaction open: when a request is answered, its change is permanent
    (autocommit), and the next page on the connection finds no transaction.
    """

    # True if one connection carries many requests at a time.
    multiplexed: bool

    async def connect(self) -> Any:
        """Return a new connection. Errors of the driver may leave it; they are translated.

        It may be cancelled at any time. Then it ends at once, closes what it opened, and leaves
        nothing that asyncio would complain of.
        """

    def pool(self, size: int) -> Optional[Pool]:
        """Return the driver's own pool of that size, not yet open; None if it has no pool."""

    async def disconnect(self, connection: Any) -> None:
        """End a connection in any state, within a short time and without an error.

        The connection may be lost, or may wait for the answer to a cancelled page. A hung database
        does not read a goodbye, so nothing may wait until it does.
        """

    def is_open(self, connection: Any) -> bool:
        """Return False if the connection was lost or closed. It sends no request.

        This is asked before every page, so it must notice that the server closed an idle
        connection. A driver that reads its socket only during requests has to look whether the
        idle socket is readable.
        """

    def data(self, connection: Any) -> Data:
        """Return the page's view of this connection; some modes ask for one for each page.

        A cancelled request ends at once, without waiting for the database. Its connection is not
        used again, unless it is multiplexed.
        """

    def translate(self, error: BaseException) -> Optional[StoreError]:
        """Return the error as a ``StoreError``, or None if it is not the driver's.

        ``Unavailable`` if the database does not answer or the connection was lost, ``Busy`` if it
        has no room now, ``NotFound`` and ``Conflict`` if the database judges a change by itself,
        ``Refused`` if it does not accept the URL (wrong password, no such user or database): that
        text names the variable and contains no password. All else is a plain ``StoreError``. Each
        text is one line.
        """


def address(database: str, url: str) -> Address:
    """Return where a URL of that database points. Raise ``Refused`` if it is not such a URL."""
    try:
        return find(database).address(url)
    except AddressError as error:
        raise Refused(str(error)) from None


async def connect(driver: Driver) -> Any:
    """Connect outside of a unit of work, in the time of a page. Raise a ``StoreError``."""
    try:
        with Deadline(TIMEOUTS.page):
            return await driver.connect()
    except BaseException as error:
        raise_translated(driver, error)
        raise


def raise_translated(driver: Driver, error: Optional[BaseException]) -> None:
    """Raise the driver's error as a ``StoreError``. Return if the error is not the driver's."""
    if error is None or isinstance(error, StoreError):
        return
    if isinstance(error, (asyncio.TimeoutError, ConnectionError)):
        raise Unavailable(
            "The database did not answer in time or closed the connection."
        ) from error
    translated = driver.translate(error)
    if translated is not None:
        raise translated from error
