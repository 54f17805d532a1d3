"""PostgreSQL through psycopg 3, its asynchronous side."""

from __future__ import annotations

import asyncio
import logging
import select
import sys
from typing import Any, Dict, Optional, Tuple

import psycopg
from psycopg import waiting
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import AsyncConnectionPool

from data_interface.article import Rows
from data_interface.deadline import UNIT_SECONDS
from data_interface.driver import Pool
from data_interface.postgres.data import PostgresData
from data_interface.postgres.refusals import NO_URL, absent, sqlstate, translated, translated_text
from data_interface.postgres.store import PostgresStore, Session
from data_interface.sql.placeholders import statement_for
from data_interface.store import Data, Refused, StoreError

# psycopg's own: how often it looks up from its wait.
WAIT_SECONDS = 0.1
# libpq's least.
CONNECT_SECONDS = 2

# Before CPython 3.9, wait_for abandons what it waited for when it is cancelled; the pool's own lock
# then stays taken for good.
ABANDONS = sys.version_info < (3, 9)

# What its pool logs is an outage, which pages report.
logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """The store at a ``postgresql://`` URL in one of the modes of ``connections.mode``."""
    return PostgresStore(connection, url, size, PsycopgDriver)


class Link(psycopg.AsyncConnection[Any]):
    """``data.Connection``: psycopg's own, mended where a database hangs or has left.

    Its own asks the server to cancel a cancelled statement, and waits for the server to say so; it
    does not look at its socket while it idles.
    """

    _poll: Optional[select.poll] = None

    async def wait(self, gen: Any, interval: float = WAIT_SECONDS, *more: Any, **named: Any) -> Any:
        """See psycopg; ends at once when it is cancelled."""
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval, *more, **named)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        """See ``data.Connection``."""
        text, order = statement_for(statement)
        parameters = [arguments[place] for place in order] if order else None
        cursor = await self.execute(text, parameters)
        return await cursor.fetchall() if cursor.description else []

    async def script(self, statements: str) -> None:
        """See ``data.Connection``."""
        await self.execute(statements)

    def is_open(self) -> bool:
        """Nothing reads the socket while it idles: what a server sends then is its goodbye."""
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self.pgconn.socket, select.POLLIN)
        try:
            while not self.closed and self._poll.poll(0):
                self.pgconn.consume_input()
        except psycopg.OperationalError:
            return False
        return not self.closed


class PsycopgPool:
    """``driver.Pool``: psycopg_pool's own of one size."""

    def __init__(self, driver: PsycopgDriver, size: int) -> None:
        self._driver = driver
        self._size = size
        self._pool: Any = None
        self._returning: Optional[asyncio.Future[None]] = None

    async def open(self) -> None:
        """See ``driver.Pool``."""
        url, options = self._driver.arguments()
        self._pool = AsyncConnectionPool(
            url,
            connection_class=Link,
            # It connects in the background, where no page's time ends it.
            kwargs={"connect_timeout": CONNECT_SECONDS, **options},
            min_size=self._size,
            max_size=self._size,
            open=False,
            # By default it tries for five minutes, and at last once in two: a database that is back
            # would be found late. So the next page tries.
            reconnect_timeout=0,
        )
        await self._pool.open(wait=True)

    async def acquire(self) -> Link:
        """See ``driver.Pool``."""
        if ABANDONS and not self._pool.get_stats()["pool_available"]:
            return await self._acquire_apart()
        connection: Link = await self._pool.getconn()
        return connection

    async def _acquire_apart(self) -> Link:
        """In a task that goes on when its page is cancelled, and gives back what it then gets."""
        waiting = asyncio.ensure_future(self._pool.getconn(timeout=UNIT_SECONDS))
        try:
            connection: Link = await asyncio.shield(waiting)
        except asyncio.CancelledError:
            waiting.add_done_callback(self._take_back)
            raise
        return connection

    def _take_back(self, waiting: asyncio.Future[Any]) -> None:
        if not waiting.cancelled() and waiting.exception() is None:
            self._returning = asyncio.ensure_future(self._pool.putconn(waiting.result()))

    async def release(self, connection: Link, broken: bool) -> None:
        """See ``driver.Pool``."""
        if broken:
            await connection.close()
        await self._pool.putconn(connection)

    async def close(self) -> None:
        """See ``driver.Pool``."""
        if self._pool is not None:
            await self._pool.close(timeout=2 * CONNECT_SECONDS)


class PsycopgDriver:
    """How to connect with psycopg; see ``driver.Driver``."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str, session: Session) -> None:
        self._url = url
        self._session = session

    def arguments(self) -> Tuple[str, Dict[str, Any]]:
        """What a connect takes; ``Refused`` where the URL is none."""
        settings = self._session.settings
        name = settings.pop("application_name")
        try:
            given = conninfo_to_dict(self._url).get("options") or ""
        except psycopg.ProgrammingError:
            raise Refused(NO_URL) from None
        options = " ".join([str(given), *(f"-c {key}={settings[key]}" for key in settings)])
        return self._url, {"autocommit": True, "application_name": name, "options": options}

    async def connect(self) -> Link:
        """See ``driver.Driver``."""
        url, options = self.arguments()
        try:
            return await Link.connect(url, **options)
        except psycopg.ProgrammingError:
            raise Refused(NO_URL) from None
        except asyncio.CancelledError as cancelled:
            # psycopg's frames hold a connection that is half made: it is closed when they go.
            raise cancelled.with_traceback(None) from None

    def pool(self, size: int) -> Optional[Pool]:
        """See ``driver.Driver``."""
        return PsycopgPool(self, size)

    async def disconnect(self, connection: Link) -> None:
        """See ``driver.Driver``."""
        await connection.close()

    def is_open(self, connection: Link) -> bool:
        return connection.is_open()

    def data(self, connection: Link) -> Data:
        return PostgresData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if not isinstance(error, psycopg.Error):
            return absent() if isinstance(error, OSError) else None
        state = sqlstate(error)
        if state is None and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
            return translated_text(str(error))
        return translated(state or "", str(error))
