"""What the connection modes need to know of a driver, and a connect with every way it can end."""

from __future__ import annotations

import asyncio
from typing import Any, List, Optional

from typing_extensions import Protocol

from data_interface.store import Data, StoreError, Unavailable

# A page answers 503 within 2 s while the database is away: at most one wait for a connection
# (connections.WAIT_SECONDS) and one for a connect or a request.
CONNECT_SECONDS = 0.9
REQUEST_SECONDS = 1.0


class Driver(Protocol):
    """One database driver: what the modes need to know of it."""

    # True when one connection carries many requests at a time.
    multiplexed: bool

    async def connect(self) -> Any:
        """A new connection within CONNECT_SECONDS; driver errors may leak, they are translated."""

    async def disconnect(self, connection: Any) -> None:
        """End the connection; must not raise and must not wait long."""

    def is_open(self, connection: Any) -> bool:
        """False once the connection was lost or closed."""

    def data(self, connection: Any) -> Data:
        """The page's view of this connection. Called once per connection: make it cheap to use."""

    def translate(self, error: BaseException) -> Optional[StoreError]:
        """The error in the store's words, or None when it is not the driver's."""


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
