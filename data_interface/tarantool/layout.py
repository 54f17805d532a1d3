"""The store on Tarantool, for every driver, with the numbers that ``tarantool/*.lua`` use."""

from __future__ import annotations

from typing import Any, Callable

from data_interface.connections import mode
from data_interface.deadline import Deadline
from data_interface.driver import Driver, connect, raise_translated
from data_interface.stickers import catalogue
from data_interface.store import (
    CLEAN_EVERY_SECONDS,
    SESSION_SECONDS,
    SESSIONS_KEPT,
    TOKEN_SECONDS,
    TOKENS_KEPT,
    VOTES_KEPT,
    Busy,
    Conflict,
    NotFound,
    Refused,
    StoreError,
    Unavailable,
)
from data_interface.timeouts import TIMEOUTS
from data_interface.unit import Unit
from runtime.address import Address

STICKERS, PACKS, TOKENS, SESSIONS, COUNTERS, VOTES = 5401, 5402, 5403, 5404, 5405, 5406
SPACES = [STICKERS, PACKS, TOKENS, SESSIONS, COUNTERS, VOTES]
BY_RATING, BY_PACK = 1, 2
# The VERSION of ``tarantool/procedures.lua``.
VERSION = 3
EQUAL, DESCENDING, ASCENDING = 0, 4, 5

# The numbers of errors: the site's own, then Tarantool's (src/box/errcode.h).
NOT_FOUND, CONFLICT, LATE = 20001, 20002, 20003
MEMORY_ISSUE, READ_ONLY, LOADING = 2, 7, 116
NO_SUCH_PROCEDURE, ACCESS_DENIED = 33, 42
NO_SUCH_USER, PASSWORD_MISMATCH = 45, 47

NO_LAYOUT = (
    "This Tarantool does not have the spaces and procedures of this version of the site: "
    "start it with `tarantool tarantool/init.lua`."
)


def refused(code: int, message: str) -> StoreError:
    """Return the store's error for an error of Tarantool, given by its number and message."""
    if code in (NO_SUCH_PROCEDURE, ACCESS_DENIED):
        return StoreError(NO_LAYOUT)
    kind, text = {
        NOT_FOUND: (NotFound, "{}"),
        CONFLICT: (Conflict, "{}"),
        LATE: (Unavailable, "{}"),
        MEMORY_ISSUE: (Busy, "The database's memory is full: {}"),
        READ_ONLY: (Unavailable, "The database is not ready: {}"),
        LOADING: (Unavailable, "The database is not ready: {}"),
        NO_SUCH_USER: (Refused, "Tarantool refuses the user in TARANTOOL_URL: {}"),
        PASSWORD_MISMATCH: (Refused, "Tarantool refuses the password in TARANTOOL_URL: {}"),
    }.get(code, (StoreError, "Tarantool refused a request: {}"))
    return kind(text.format(message))


class TarantoolStore:
    """A store on Tarantool, in one connection mode."""

    def __init__(self, connection: str, address: Address, driver: Driver, size: int) -> None:
        self._address = address
        self._driver = driver
        self._mode = mode(connection, driver, size)
        self.acquire: Callable[[], Unit] = self._mode.acquire

    async def open(self) -> None:
        try:
            connection = await connect(self._driver)
        except Unavailable as error:
            raise Unavailable(f"Is Tarantool running at {self._address}? {error}") from None
        try:
            with Deadline(TIMEOUTS.schema):
                await prepare(connection)
        except Exception as error:
            raise_translated(self._driver, error)
            raise
        finally:
            await self._driver.disconnect(connection)
        await self._mode.open()

    async def close(self) -> None:
        await self._mode.close()


async def prepare(connection: Any) -> None:
    """Check the layout, set the limits, and load the stickers if there are none."""
    limits = {
        "tokens": TOKENS_KEPT,
        "token_seconds": TOKEN_SECONDS,
        "sessions": SESSIONS_KEPT,
        "session_seconds": SESSION_SECONDS,
        "votes": VOTES_KEPT,
        "clean_milliseconds": int(CLEAN_EVERY_SECONDS * 1000),
    }
    rows = await connection.call("site_open", [limits])
    *layout, loaded, version = rows[0]
    # Version 1 returned no version, so its layout is one id short here.
    if (layout, version) != (SPACES, VERSION):
        raise StoreError(NO_LAYOUT)
    if not loaded:
        packs, stickers = catalogue()
        await connection.call(
            "site_load", [[list(row) for row in rows] for rows in (packs, stickers)]
        )
