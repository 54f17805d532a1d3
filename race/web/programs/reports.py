"""The reports on connections that block, of psycopg or psycopg2, with rows by name.

The requests are those of the site. What differs between the drivers is what their users change on
the way from one to the other: how a cursor is told to give rows by name, and the pool.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any

import psycopg
import psycopg2
from psycopg.rows import dict_row
from psycopg2.extras import DictCursor
from psycopg2.pool import ThreadedConnectionPool
from psycopg_pool import ConnectionPool

from data_interface.postgres import report_statements
from data_interface.sql.placeholders import statement_for
from data_interface.sql.reports import SqlReports
from race.web.programs.postgres import options

Connect = Callable[[], AbstractContextManager[Any]]
"""Returns a context manager of a connection for one request."""
OPTIONS = options(60)


class Psycopg:
    """psycopg 3: `row_factory` gives rows by name."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.settings: Any = {"autocommit": True, "row_factory": dict_row, **OPTIONS}

    def connect(self) -> Any:
        return psycopg.connect(self.url, **self.settings)

    def pool(self, size: int) -> Connect:
        """Return the driver's own pool, of so many connections."""
        pool = ConnectionPool(
            self.url, kwargs=self.settings, min_size=size, max_size=size, open=True
        )
        pool.wait()
        return pool.connection


class Psycopg2:
    """psycopg2: `cursor_factory` gives rows by name."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.settings = {"cursor_factory": DictCursor, **OPTIONS}

    def connect(self) -> Any:
        connection = psycopg2.connect(self.url, **self.settings)
        connection.autocommit = True
        return connection

    def pool(self, size: int) -> Connect:
        """Return the driver's own pool, which refuses when all are in use: so threads wait."""
        pool = ThreadedConnectionPool(size, size, self.url, **self.settings)
        free = threading.Semaphore(size)

        @contextmanager
        def connection() -> Iterator[Any]:
            with free:
                own = pool.getconn()
                own.autocommit = True
                try:
                    yield own
                finally:
                    pool.putconn(own)

        return connection


DRIVERS: dict[str, type[Psycopg] | type[Psycopg2]] = {"psycopg": Psycopg, "psycopg2": Psycopg2}
MODES = ("query", "multi", "pool")
"""A connection for each request to the database, one for each page, a pool."""


def pages(driver: Psycopg | Psycopg2, mode: str, size: int) -> Callable[[], Any]:
    """Return what makes the context manager of a page; that gives the `Connect` of its requests."""
    if mode == "pool":
        pool = driver.pool(size)
        return lambda: nullcontext(pool)
    if mode == "query":
        return lambda: nullcontext(lambda: closing(driver.connect()))

    @contextmanager
    def page() -> Iterator[Connect]:
        with closing(driver.connect()) as own:
            yield lambda: nullcontext(own)

    return page


class BlockingReports(SqlReports):
    """The reports of one page."""

    _reports = report_statements

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def _fetch(self, statement: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """Ask, and wait for the rows: nothing is awaited."""
        text, order = statement_for(statement)
        with self._connect() as connection, connection.cursor() as cursor:
            cursor.execute(text, [arguments[place] for place in order] if order else None)
            return [tuple(row.values()) for row in cursor.fetchall()]


def answer(report: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine that awaits nothing."""
    try:
        report.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("a report awaited something")
