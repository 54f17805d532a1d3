"""PostgreSQL through psycopg 3, its asynchronous side."""

from __future__ import annotations

import asyncio
import logging
import select
import sys
import time
from typing import Any, Dict, Optional, Tuple

import psycopg
from psycopg import waiting
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import AsyncConnectionPool

from data_interface.article import Rows
from data_interface.driver import Pool
from data_interface.postgres.data import PostgresData
from data_interface.postgres.refusals import (
    NO_URL,
    sqlstate,
    translated,
    translated_text,
    unavailable,
)
from data_interface.postgres.store import PostgresSession, PostgresStore
from data_interface.sql.placeholders import statement_for
from data_interface.store import Data, Refused, StoreError
from data_interface.timeouts import TIMEOUTS

# ``PsycopgConnection.wait`` and ``SyncConnection.wait`` of ``psycopg_sync_store`` replace a method
# that the documentation does not describe; the second needs its timeout, which 3.3.9 has, and so
# does ``SyncConnection.connected``, which calls ``Connection._connect_gen``.
CHECKED_VERSIONS = {"psycopg": ("3.1.20", "3.2.13", "3.3.9")}

# How often psycopg wakes up while it waits; its own default.
WAIT_SECONDS = 0.1
# How long an idle connection counts as open after a look at its socket.
LOOK_SECONDS = 0.05
# libpq accepts no shorter timeout of a connect.
CONNECT_SECONDS = 2

# Before CPython 3.9 a cancelled ``wait_for`` abandons what it waited for: the pool's lock, which
# then stays locked for ever.
ABANDONS = sys.version_info < (3, 9)

# The pool logs outages, which the pages report as well.
logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """Return the store at a ``postgresql://`` URL in one of the connection modes."""
    return PostgresStore(connection, url, size, PsycopgDriver)


def has_rows(cursor: Any) -> bool:
    """Return whether the statement of a cursor returns rows.

    ``cursor.description`` says so too, but makes an object for each column.
    """
    return bool(cursor.pgresult.nfields)


class NoticesItsEnd:
    """Part of a connection: psycopg does not look at its socket while it is idle."""

    pgconn: Any
    closed: bool
    _poll: Optional[select.poll] = None
    _looked = 0.0

    def is_open(self) -> bool:
        """Return False if the server has closed the connection: then an idle socket is readable.

        A look at the socket holds for ``LOOK_SECONDS``: it is a system call, for which a thread
        gives up the interpreter's lock.
        """
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS and not self.closed:
            return True
        self._looked = now
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self.pgconn.socket, select.POLLIN)
        try:
            while not self.closed and self._poll.poll(0):
                self.pgconn.consume_input()
        except psycopg.OperationalError:
            return False
        return not self.closed


class PsycopgConnection(NoticesItsEnd, psycopg.AsyncConnection[Any]):
    """A connection that ends at once when its page is cancelled, and that notices a lost server.

    psycopg's own asks the server to cancel a cancelled statement and waits for the reply, which a
    hung database does not give.
    """

    async def wait(self, gen: Any, interval: float = WAIT_SECONDS, *more: Any, **named: Any) -> Any:
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval, *more, **named)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        text, order = statement_for(statement)
        parameters = [arguments[place] for place in order] if order else None
        cursor = await self.execute(text, parameters)
        return await cursor.fetchall() if has_rows(cursor) else []

    async def script(self, statements: str) -> None:
        await self.execute(statements)


class PsycopgPool:
    """The pool of ``psycopg_pool``, with a fixed size."""

    def __init__(self, driver: PsycopgDriver, size: int) -> None:
        self._driver = driver
        self._size = size
        self._pool: Any = None
        self._returning: Optional[asyncio.Future[None]] = None

    async def open(self) -> None:
        url, options = self._driver.arguments()
        self._pool = AsyncConnectionPool(
            url,
            connection_class=self._driver.connection_class,
            # The pool connects in the background, where no page's time limit ends it.
            kwargs={"connect_timeout": CONNECT_SECONDS, **options},
            min_size=self._size,
            max_size=self._size,
            open=False,
            # By default it retries for five minutes with growing pauses of up to two minutes, and
            # would find a database late that is back. With 0 the next page makes it try.
            reconnect_timeout=0,
        )
        await self._pool.open(wait=True)

    async def acquire(self) -> PsycopgConnection:
        if ABANDONS and not self._pool.get_stats()["pool_available"]:
            return await self._acquire_in_task()
        connection: PsycopgConnection = await self._pool.getconn()
        return connection

    async def _acquire_in_task(self) -> PsycopgConnection:
        """Acquire in a task that outlives a cancelled page, and returns what it then gets."""
        waiting = asyncio.ensure_future(self._pool.getconn(timeout=TIMEOUTS.page))
        try:
            connection: PsycopgConnection = await asyncio.shield(waiting)
        except asyncio.CancelledError:
            waiting.add_done_callback(self._take_back)
            raise
        return connection

    def _take_back(self, waiting: asyncio.Future[Any]) -> None:
        if not waiting.cancelled() and waiting.exception() is None:
            self._returning = asyncio.ensure_future(self._pool.putconn(waiting.result()))

    async def release(self, connection: PsycopgConnection, broken: bool) -> None:
        if broken:
            await connection.close()
        await self._pool.putconn(connection)

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close(timeout=TIMEOUTS.close)


class PsycopgDriver:
    """The driver psycopg, for the connection modes."""

    # One connection serves one statement at a time.
    multiplexed = False
    connection_class = PsycopgConnection

    def __init__(self, url: str, session: PostgresSession) -> None:
        self._url = url
        self._session = session

    def arguments(self) -> Tuple[str, Dict[str, Any]]:
        """Return the arguments of a connect. Raise ``Refused`` if the URL is none."""
        settings = self._session.settings
        name = settings.pop("application_name")
        try:
            given = conninfo_to_dict(self._url).get("options") or ""
        except psycopg.ProgrammingError:
            raise Refused(NO_URL) from None
        options = " ".join([str(given), *(f"-c {key}={settings[key]}" for key in settings)])
        return self._url, {"autocommit": True, "application_name": name, "options": options}

    async def connect(self) -> PsycopgConnection:
        url, options = self.arguments()
        try:
            return await self.connection_class.connect(url, **options)
        except psycopg.ProgrammingError:
            raise Refused(NO_URL) from None
        except asyncio.CancelledError as cancelled:
            # The traceback holds frames that hold a half-made connection, which closes with them.
            raise cancelled.with_traceback(None) from None

    def pool(self, size: int) -> Optional[Pool]:
        return PsycopgPool(self, size)

    async def disconnect(self, connection: PsycopgConnection) -> None:
        await connection.close()

    def is_open(self, connection: PsycopgConnection) -> bool:
        return connection.is_open()

    def data(self, connection: PsycopgConnection) -> Data:
        return PostgresData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if not isinstance(error, psycopg.Error):
            return unavailable() if isinstance(error, OSError) else None
        state = sqlstate(error)
        if state is None and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
            return translated_text(str(error))
        return translated(state or "", str(error))
