"""What asyncmy and aiomysql have in common: their cursors are DB-API's, their pools aiomysql's."""

from __future__ import annotations

import asyncio
import contextlib
import select
from typing import Any, Dict, NamedTuple, Optional

from data_interface.article import Rows
from data_interface.driver import Pool, address
from data_interface.mysql.data import MysqlData
from data_interface.mysql.pool import OwnPool
from data_interface.mysql.refusals import NO_URL, absent, translated
from data_interface.sql.placeholders import statement_for
from data_interface.store import Data, Refused, StoreError

# A page that waited for a hung database does not wait for its goodbye as well.
GOODBYE_SECONDS = 0.05


class Session(NamedTuple):
    """What a connection is for: its name among the server's, and its database where no URL names
    one."""

    program_name: str
    database: Optional[str]


class Connection:
    """``sql.data.Connection`` on the library's own, ``raw``."""

    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        """See ``sql.data.Connection``."""
        text, order = statement_for(statement)
        parameters = [arguments[place] for place in order] if order else None
        async with self.raw.cursor() as cursor:
            await cursor.execute(text, parameters)
            rows: Rows = await cursor.fetchall()
            return rows

    async def script(self, statements: str) -> None:
        """See ``sql.data.Connection``."""
        async with self.raw.cursor() as cursor:
            await cursor.execute(statements)
            while await cursor.nextset():
                """The next statement is done, or its error raised."""


class MysqlDriver:
    """``driver.Driver``; a library's own brings ``open``, ``make_pool`` and ``transport``."""

    # One connection serves one statement at a time.
    multiplexed = False
    # The library's errors.
    errors: Any
    # How the library calls the database that a connection begins in.
    database_option: str
    # Whether its pool tells those who wait when a connection that was lost is given back.
    pool_tells = True

    def __init__(self, url: str, session: Session) -> None:
        where = address("mysql", url)
        place: Dict[str, Any] = {"unix_socket": where.path}
        if not where.path:
            place = {"host": where.host, "port": where.port}
        # What a connect takes.
        self.options: Dict[str, Any] = {
            **place,
            "user": where.user,
            "password": where.password or "",
            "autocommit": True,
            "program_name": session.program_name,
            self.database_option: where.name or session.database,
        }

    async def open(self) -> Any:
        """The library's connect."""
        raise NotImplementedError

    async def make_pool(self, size: int) -> Any:
        """The library's pool, with its defaults but for the size."""
        raise NotImplementedError

    def transport(self, raw: Any) -> Any:
        """The connection's transport; None when it is closed."""
        raise NotImplementedError

    def connected(self, raw: Any) -> Connection:
        """What the library gave, as the rest of us knows it."""
        return Connection(raw)

    async def connect(self) -> Connection:
        """See ``driver.Driver``."""
        try:
            return self.connected(await self.open())
        except ValueError:
            raise Refused(NO_URL) from None

    def pool(self, size: int) -> Optional[Pool]:
        """See ``driver.Driver``."""
        return OwnPool(self, size)

    async def disconnect(self, connection: Connection) -> None:
        """See ``driver.Driver``."""
        try:
            if self.is_open(connection):
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(connection.raw.ensure_closed(), GOODBYE_SECONDS)
        finally:
            connection.raw.close()
            # Nothing is left to wait for. asyncmy before 0.2.18 counts it as connected until then,
            # and its pool would take it back.
            await connection.raw.ensure_closed()

    def is_open(self, connection: Connection) -> bool:
        """See ``driver.Driver``.

        The event loop reads ahead, so a server's last word may lie there unread: the end of what
        the server sends is what tells.
        """
        transport = self.transport(connection.raw)
        if transport is None or transport.is_closing():
            return False
        watch = select.poll()
        watch.register(transport.get_extra_info("socket"), select.POLLRDHUP)
        return not watch.poll(0)

    def data(self, connection: Connection) -> Data:
        return MysqlData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, self.errors):
            return translated(error)
        return absent() if isinstance(error, (OSError, EOFError)) else None
