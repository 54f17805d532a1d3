"""The common part of asyncmy and aiomysql, whose cursors follow DB-API 2.0."""

from __future__ import annotations

import asyncio
import contextlib
import select
from typing import Any, Dict, NamedTuple, Optional

from data_interface.article import Rows
from data_interface.driver import Pool, address
from data_interface.mysql.data import MysqlData
from data_interface.mysql.pool import MysqlPool
from data_interface.mysql.refusals import NO_URL, translated, unavailable
from data_interface.sql.placeholders import statement_for
from data_interface.store import Data, Refused, StoreError
from data_interface.timeouts import TIMEOUTS


class MysqlSession(NamedTuple):
    """The settings of a connection: its name in the server's lists, and a default database."""

    program_name: str
    database: Optional[str]


class MysqlConnection:
    """A connection of asyncmy or aiomysql, ``raw``, with the calls of ``sql.data.Connection``."""

    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        text, order = statement_for(statement)
        parameters = [arguments[place] for place in order] if order else None
        async with self.raw.cursor() as cursor:
            await cursor.execute(text, parameters)
            rows: Rows = await cursor.fetchall()
            return rows

    async def script(self, statements: str) -> None:
        async with self.raw.cursor() as cursor:
            await cursor.execute(statements)
            while await cursor.nextset():
                """Each turn finishes one statement, or raises its error."""


class MysqlDriver:
    """A driver of MariaDB; a subclass adds ``open``, ``make_pool`` and ``transport``."""

    # One connection serves one statement at a time.
    multiplexed = False
    # The base class of the library's errors.
    errors: Any
    # The library's name for the option of the database to use.
    database_option: str
    # Whether the pool wakes a waiting page when a lost connection is released.
    wakes_waiters = True

    def __init__(self, url: str, session: MysqlSession) -> None:
        where = address("mysql", url)
        place: Dict[str, Any] = {"unix_socket": where.path}
        if not where.path:
            place = {"host": where.host, "port": where.port}
        # The arguments of a connect.
        self.options: Dict[str, Any] = {
            **place,
            "user": where.user,
            "password": where.password or "",
            "autocommit": True,
            "program_name": session.program_name,
            self.database_option: where.name or session.database,
        }

    async def open(self) -> Any:
        """Return a new connection of the library."""
        raise NotImplementedError

    async def make_pool(self, size: int) -> Any:
        """Return the library's pool, with its defaults except for the size."""
        raise NotImplementedError

    def transport(self, raw: Any) -> Any:
        """Return the connection's transport; None if the connection is closed."""
        raise NotImplementedError

    def connected(self, raw: Any) -> MysqlConnection:
        """Return a connection of the library in the form that pages use."""
        return MysqlConnection(raw)

    async def connect(self) -> MysqlConnection:
        try:
            return self.connected(await self.open())
        except ValueError:
            raise Refused(NO_URL) from None

    def pool(self, size: int) -> Optional[Pool]:
        return MysqlPool(self, size)

    async def disconnect(self, connection: MysqlConnection) -> None:
        try:
            if self.is_open(connection):
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(connection.raw.ensure_closed(), TIMEOUTS.goodbye)
        finally:
            connection.raw.close()
            # This returns at once. asyncmy before 0.2.18 counts the connection as open without it,
            # and its pool would keep it.
            await connection.raw.ensure_closed()

    def is_open(self, connection: MysqlConnection) -> bool:
        # The event loop reads ahead, so the server's last message may be read already: only the end
        # of the stream shows that the server has closed it.
        transport = self.transport(connection.raw)
        if transport is None or transport.is_closing():
            return False
        watch = select.poll()
        watch.register(transport.get_extra_info("socket"), select.POLLRDHUP)
        return not watch.poll(0)

    def data(self, connection: MysqlConnection) -> Data:
        return MysqlData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, self.errors):
            return translated(error)
        return unavailable() if isinstance(error, (OSError, EOFError)) else None
