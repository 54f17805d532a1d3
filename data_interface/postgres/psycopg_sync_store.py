"""PostgreSQL through psycopg 3, its synchronous side, for pages in threads.

The coroutines here never suspend (``data_interface.sql.threads``). The schema and the cleaning are
the work of an event loop beside the threads, through psycopg's asynchronous side.
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any, Optional

import psycopg
from psycopg import waiting
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from data_interface.article import Rows
from data_interface.postgres.psycopg_store import (
    CONNECT_SECONDS,
    WAIT_SECONDS,
    NoticesItsEnd,
    PsycopgDriver,
    has_rows,
)
from data_interface.postgres.refusals import NO_URL, unavailable
from data_interface.postgres.store import PostgresStore
from data_interface.sql.placeholders import statement_for
from data_interface.sql.threads import thread_mode
from data_interface.store import Busy, Refused
from data_interface.timeouts import TIMEOUTS


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """Return the store at a ``postgresql://`` URL in one of the connection modes."""
    return PostgresStore(
        connection,
        url,
        size,
        PsycopgSyncDriver,
        new_background_driver=PsycopgDriver,
        new_mode=thread_mode,
    )


class SyncConnection(NoticesItsEnd, psycopg.Connection[Any]):
    """A connection whose requests end at the ``deadline`` of its page."""

    deadline = math.inf

    @classmethod
    def connected(cls, conninfo: str, seconds: float) -> SyncConnection:
        """Connect within so many seconds; ``connect`` accepts no timeout below two."""
        return waiting.wait_conn(cls._connect_gen(conninfo), WAIT_SECONDS, seconds)

    def wait(self, gen: Any, interval: float = WAIT_SECONDS, timeout: Any = None) -> Any:
        if timeout is None and self.deadline < math.inf:
            timeout = max(self.deadline - time.monotonic(), 0.0)
        try:
            return super().wait(gen, interval, timeout)
        except psycopg.OperationalError:
            if time.monotonic() >= self.deadline:
                # The answer may come when the connection has another page.
                self.pgconn.finish()
            raise

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        text, order = statement_for(statement)
        parameters = [arguments[place] for place in order] if order else None
        cursor = self.execute(text, parameters)
        return cursor.fetchall() if has_rows(cursor) else []

    async def script(self, statements: str) -> None:
        self.execute(statements)


class SyncPool:
    """The pool of ``psycopg_pool``, with a fixed size."""

    def __init__(self, driver: PsycopgSyncDriver, size: int) -> None:
        url, options = driver.arguments()
        self._size = size
        # It is made before the worker processes, and opened in each.
        self._pool: Any = ConnectionPool(
            url,
            connection_class=SyncConnection,
            kwargs={"connect_timeout": CONNECT_SECONDS, **options},
            min_size=size,
            max_size=size,
            open=False,
            # As in the asynchronous pool, the next page makes it try again.
            reconnect_timeout=0,
        )

    async def open(self) -> None:
        self._pool.open()

    def fill(self) -> None:
        """Wait until it has all of its connections. ``ConnectionPool.wait`` may close the pool."""
        with contextlib.ExitStack() as stack:
            for _ in range(self._size):
                stack.callback(self._pool.putconn, self._pool.getconn(TIMEOUTS.open_pool))

    def acquire(self, seconds: float) -> SyncConnection:
        if self._pool.closed:
            # The database was away when the store was opened.
            self._pool.open()
        try:
            connection: SyncConnection = self._pool.getconn(seconds)
        except PoolTimeout:
            if self._pool.get_stats()["pool_size"] < self._size:
                raise unavailable() from None
            raise Busy("No database connection became free in time.") from None
        return connection

    async def release(self, connection: SyncConnection, broken: bool) -> None:
        if broken:
            connection.close()
        self._pool.putconn(connection)

    async def close(self) -> None:
        self._pool.close(TIMEOUTS.close)


class PsycopgSyncDriver(PsycopgDriver):
    """The driver psycopg, for the connection modes in threads."""

    async def connect(self, seconds: float = CONNECT_SECONDS) -> Any:
        url, options = self.arguments()
        autocommit = options.pop("autocommit")
        try:
            connection = SyncConnection.connected(make_conninfo(url, **options), seconds)
        except psycopg.ProgrammingError:
            raise Refused(NO_URL) from None
        connection.autocommit = autocommit
        return connection

    def pool(self, size: int) -> Optional[Any]:
        return SyncPool(self, size)

    async def disconnect(self, connection: Any) -> None:
        connection.close()
