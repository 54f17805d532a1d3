"""SQLite through aiosqlite, which gives each connection a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sqlite3
from functools import lru_cache
from typing import Any, Awaitable, Callable, Optional

import aiosqlite

from data_interface.article import Rows
from data_interface.driver import Pool, address
from data_interface.sql.placeholders import PARAMETER
from data_interface.sql.store import Drivers, SqlStore, Upkeep
from data_interface.sqlite import upkeep
from data_interface.sqlite.data import SqliteData
from data_interface.store import ID_LENGTH, Busy, Data, Refused, StoreError, Unavailable
from data_interface.timeouts import TIMEOUTS
from databases import find

# How long a statement waits until it tries again, if another process has the lock for writing.
# SQLite would wait in the connection's thread: no timeout of a page reaches it there, and the other
# pages of the connection would wait with it.
RETRY_SECONDS = 0.002
# What is committed survives the death of the process, and not that of the machine, as in the
# private databases: nothing waits for the disk.
SETTINGS = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON"
UNUSABLE = ("unable to open", "file is not a database", "readonly", "disk I/O error")

CLOSED = "The connection to SQLite was closed."

# ``join`` uses the attribute ``_thread``, which the documentation does not describe.
CHECKED_VERSIONS = {"aiosqlite": ("0.22.1",)}


def open_store(connection: str, url: str, size: int) -> SqlStore:
    """Return the store in the file of a ``sqlite://`` URL in one of the connection modes."""
    path = address("sqlite", url).path
    if not path:
        raise Refused(f"SQLITE_URL must look like {find('sqlite').form.example}")
    # A file that cannot be used leaves a thread of aiosqlite behind, which outlives the loop.
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=0)) as file:
            file.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        if not is_busy(error):
            raise translated(str(error)) from None
    pages, background = AiosqliteDriver(path), AiosqliteDriver(path)
    return SqlStore(
        connection,
        size,
        Drivers(pages, background, background),
        Upkeep(upkeep.create_schema, upkeep.choose, upkeep.clean),
    )


@lru_cache(maxsize=None)
def numbered(statement: str) -> str:
    """Return the statement with SQLite's own form of numbered parameters, ?1 for $1."""
    return PARAMETER.sub(r"?\1", statement)


def new_id() -> str:
    """Return 128 bits from the operating system's CSPRNG as 32 lower-case hex digits."""
    return secrets.token_hex(ID_LENGTH // 2)


class SelfClosing(sqlite3.Connection):
    """A connection that closes when it is lost, as in aiosqlite if a connect is cancelled."""

    def __del__(self) -> None:
        # One that could not be opened has nothing to close, and says so.
        with contextlib.suppress(sqlite3.Error):
            self.close()


class AiosqliteConnection:
    """A connection of aiosqlite, ``raw``, with the calls of ``sql.data.Connection``."""

    __slots__ = ("is_open", "raw")

    def __init__(self, raw: aiosqlite.Connection) -> None:
        self.raw = raw
        self.is_open = True

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        rows: Rows = await unlocked(self.raw.execute_fetchall, numbered(statement), arguments)
        return rows

    async def script(self, statements: str) -> None:
        cursor = await unlocked(self.raw.executescript, statements)
        await cursor.close()


async def unlocked(call: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Return what a call returns, once no other connection has the lock."""
    while True:
        try:
            return await call(*arguments)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
        await asyncio.sleep(RETRY_SECONDS)


def is_busy(error: BaseException) -> bool:
    """Return whether another connection had the lock that a statement needed."""
    return str(error).startswith("database is locked")


def translated(text: str) -> StoreError:
    """Return the store's error for one of SQLite's."""
    if text.startswith("database or disk is full"):
        return Busy("There is no room for SQLite's file.")
    if text.startswith("interrupted"):
        return Unavailable(CLOSED)
    if text.startswith(UNUSABLE):
        return Refused(f"SQLITE_URL names a file that SQLite cannot use: {text}")
    return StoreError(f"SQLite failed: {text}")


def join(raw: aiosqlite.Connection, seconds: float) -> None:
    """Wait for the thread of a connection that is told to stop.

    aiosqlite does not, and the thread would report its end to an event loop that may have closed.
    """
    raw._thread.join(seconds)  # noqa: SLF001


class AiosqliteDriver:
    """The driver aiosqlite, for the connection modes."""

    # Each statement is a transaction, and the thread takes one after another.
    multiplexed = True

    def __init__(self, path: str) -> None:
        self._path = path

    async def connect(self) -> AiosqliteConnection:
        raw = aiosqlite.connect(
            self._path,
            timeout=0,
            isolation_level=None,
            factory=SelfClosing,
            check_same_thread=False,
        )
        try:
            await raw
        except BaseException:
            join(raw, TIMEOUTS.goodbye)
            raise
        connection = AiosqliteConnection(raw)
        try:
            await connection.script(SETTINGS)
            await raw.create_function("new_id", 0, new_id)
        except BaseException:
            await self.disconnect(connection)
            raise
        return connection

    def pool(self, size: int) -> Optional[Pool]:
        return None

    async def disconnect(self, connection: AiosqliteConnection) -> None:
        if not connection.is_open:
            return
        connection.is_open = False
        with contextlib.suppress(ValueError, sqlite3.Error):
            await connection.raw.interrupt()
        closing = connection.raw.stop()
        try:
            if closing is not None:
                # The last connection to a file writes its log into it, which takes its time.
                await asyncio.wait([closing], timeout=TIMEOUTS.close)
        except asyncio.CancelledError:
            join(connection.raw, TIMEOUTS.close)
            raise

    def is_open(self, connection: AiosqliteConnection) -> bool:
        return connection.is_open

    def data(self, connection: AiosqliteConnection) -> Data:
        return SqliteData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, sqlite3.Error):
            return translated(str(error))
        # aiosqlite raises ValueError on a closed connection.
        return Unavailable(CLOSED) if isinstance(error, ValueError) else None
