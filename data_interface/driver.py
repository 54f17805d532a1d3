"""What the connection modes need to know of a driver, and a connect with every way it can end."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from typing_extensions import Protocol

from data_interface.deadline import UNIT_SECONDS, Deadline
from data_interface.store import Data, Refused, StoreError, Unavailable
from databases import find
from runtime.address import Address, AddressError


class Pool(Protocol):
    """A driver's own pool, in four calls. Its connections are like those of ``Driver.connect``."""

    async def open(self) -> None:
        """Make it ready; driver errors may leak, they are translated."""

    async def acquire(self) -> Any:
        """A connection; waits while all are in use. It may be cancelled at any time, silently."""

    async def release(self, connection: Any, broken: bool) -> None:
        """Take it back; where it is ``broken`` or was lost, it is ended at once and not reused."""

    async def close(self) -> None:
        """End every connection; must not raise and must not wait long."""


class Driver(Protocol):
    """One database driver: what the modes need to know of it.

    It sets no time limits. A unit of work has one for everything (``unit``): when it is over, the
    page's task is cancelled, wherever it waits. Requests go through the driver's public calls, and
    are the same calls in every mode.
    A connection keeps no transaction open: what a request changes is there when it is answered
    (autocommit), and the next page on the same connection finds nothing begun.
    """

    # True when one connection carries many requests at a time.
    multiplexed: bool

    async def connect(self) -> Any:
        """A new connection; driver errors may leak, they are translated.

        It may be cancelled at any time: it must end at once, close what it had opened, and leave
        nothing that asyncio complains of.
        """

    def pool(self, size: int) -> Optional[Pool]:
        """The driver's own pool of that many connections, not open yet; None where it has none."""

    async def disconnect(self, connection: Any) -> None:
        """End the connection in whatever state; must not raise and must not wait long.

        Also one that was lost, or that still waits for the answer of a cancelled page: a goodbye
        that a hung database does not take must not be waited for.
        """

    def is_open(self, connection: Any) -> bool:
        """False once the connection was lost or closed. Asked before every page: without a request.

        It must notice a server that closed the connection while it idled. A driver that reads its
        socket only during a request needs another way: a reader on the event loop, or a look at
        whether the idle socket is readable.
        """

    def data(self, connection: Any) -> Data:
        """The page's view of this connection; some modes ask for one for each page.

        A request that is cancelled ends at once and silently, without waiting for the database. Its
        connection is not used again, unless it is multiplexed.
        """

    def translate(self, error: BaseException) -> Optional[StoreError]:
        """The error in the store's words, or None when it is not the driver's.

        ``Unavailable`` when the database does not answer or the connection was lost, ``Busy`` when
        it has no room now, ``NotFound`` and ``Conflict`` where it judges a change by itself,
        ``Refused`` when it does not take the URL (wrong password, no such user or database): that
        text names the variable and holds no password. Everything else is a ``StoreError``. Each is
        one line.
        """


def address(database: str, url: str) -> Address:
    """Where a URL of that database points, or ``Refused``."""
    try:
        return find(database).address(url)
    except AddressError as error:
        raise Refused(str(error)) from None


async def connect(driver: Driver) -> Any:
    """Connect outside of a page's unit of work, within UNIT_SECONDS, or raise a StoreError."""
    try:
        with Deadline(UNIT_SECONDS):
            return await driver.connect()
    except BaseException as error:
        raise_translated(driver, error)
        raise


def raise_translated(driver: Driver, error: Optional[BaseException]) -> None:
    """Raise the driver's error in the store's words; return when it is not the driver's."""
    if error is None or isinstance(error, StoreError):
        return
    if isinstance(error, (asyncio.TimeoutError, ConnectionError)):
        raise Unavailable(
            "The database did not answer in time or closed the connection."
        ) from error
    translated = driver.translate(error)
    if translated is not None:
        raise translated from error
