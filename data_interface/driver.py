"""What the connection modes need to know of a driver, and a connect with every way it can end."""

from __future__ import annotations

import asyncio
from typing import Any, List, Optional

from typing_extensions import Protocol

from data_interface.store import Data, Refused, StoreError, Unavailable
from databases import find
from runtime.address import Address, AddressError

# A page answers 503 within 2 s while the database is away: at most one wait for a connection
# (connections.WAIT_SECONDS) and one for a connect or a request.
CONNECT_SECONDS = 0.9
REQUEST_SECONDS = 1.0


class Driver(Protocol):
    """One database driver: what the modes need to know of it.

    Every time limit is the driver's duty: nobody above it watches a connect or a request.
    A connection keeps no transaction open: what a request changes is there when it is answered
    (autocommit), and the next page on the same connection finds nothing begun.
    """

    # True when one connection carries many requests at a time.
    multiplexed: bool

    async def connect(self) -> Any:
        """A new connection; driver errors may leak, they are translated.

        It is cancelled after CONNECT_SECONDS, or at any time together with its page: it must end
        at once, close what it had opened, and leave nothing that asyncio complains of.
        """

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
        """The page's view of this connection. Called once per connection: make it cheap to use.

        A request that is not answered for REQUEST_SECONDS fails as ``Unavailable``; one that is
        cancelled ends at once and silently, without waiting for the database. Its connection is
        not used again.
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
    """Connect within CONNECT_SECONDS, or raise a StoreError."""
    made: List[Any] = []

    async def attempt() -> None:
        made.append(await driver.connect())

    try:
        await asyncio.wait_for(attempt(), CONNECT_SECONDS)
    except BaseException as error:
        # Before CPython 3.12 wait_for loses what comes in spite of a cancellation.
        for connection in made:
            await driver.disconnect(connection)
        raise_translated(driver, error)
        raise
    return made[0]


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
