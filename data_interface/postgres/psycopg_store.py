"""PostgreSQL through psycopg 3, its asynchronous side."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
from typing import Any, Optional

import psycopg
from psycopg import waiting
from psycopg.conninfo import conninfo_to_dict

from data_interface.article import Rows
from data_interface.postgres.data import PostgresData
from data_interface.postgres.placeholders import statement_for
from data_interface.postgres.refusals import NO_URL, absent, sqlstate, translated, translated_text
from data_interface.postgres.store import PostgresStore, Session
from data_interface.store import Data, Refused, StoreError

# psycopg's own: how often it looks up from its wait.
WAIT_SECONDS = 0.1


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """The store at a ``postgresql://`` URL in one of the modes of ``connections.mode``."""
    return PostgresStore(connection, url, size, PsycopgDriver)


class Link(psycopg.AsyncConnection[Any]):
    """psycopg's connection, which ends at once when a request is cancelled.

    Its own asks the server to cancel the statement, and waits for the server to say so.
    """

    async def wait(self, gen: Any, interval: float = WAIT_SECONDS, *more: Any, **named: Any) -> Any:
        """See psycopg."""
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval, *more, **named)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise


class Connection:
    """See ``data.Connection``."""

    def __init__(self, raw: Link, seconds: float) -> None:
        self.raw = raw
        self._seconds = seconds
        self._loop = asyncio.get_event_loop()
        self._poll = select.poll()
        self._poll.register(raw.pgconn.socket, select.POLLIN)

    async def fetch(self, statement: str, *arguments: Any) -> Rows:
        """See ``data.Connection``."""
        text, order = statement_for(statement)
        parameters = [arguments[place] for place in order] if order else None
        timer = self._loop.call_later(self._seconds, self.abort)
        try:
            cursor = await self.raw.execute(text, parameters)
            return await cursor.fetchall() if cursor.description else []
        finally:
            timer.cancel()

    async def script(self, statements: str) -> None:
        """See ``data.Connection``."""
        timer = self._loop.call_later(self._seconds, self.abort)
        try:
            await self.raw.execute(statements)
        finally:
            timer.cancel()

    def abort(self) -> None:
        """The request under way fails, as if the server had closed the connection."""
        if self.raw.closed:
            return
        duplicate = os.dup(self.raw.pgconn.socket)
        # The server may have closed it in this very moment.
        with contextlib.suppress(OSError), socket.socket(fileno=duplicate) as same:
            same.shutdown(socket.SHUT_RDWR)

    def is_open(self) -> bool:
        """Nothing reads the socket while it idles: what a server sends then is its goodbye."""
        try:
            while not self.raw.closed and self._poll.poll(0):
                self.raw.pgconn.consume_input()
        except psycopg.OperationalError:
            return False
        return not self.raw.closed


class PsycopgDriver:
    """How to connect with psycopg; see ``driver.Driver``."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str, session: Session) -> None:
        self._url = url
        self._session = session

    async def connect(self) -> Connection:
        """See ``driver.Driver``."""
        settings = self._session.settings
        name = settings.pop("application_name")
        try:
            given = conninfo_to_dict(self._url).get("options") or ""
            options = " ".join([str(given), *(f"-c {key}={settings[key]}" for key in settings)])
            raw = await Link.connect(
                self._url, autocommit=True, application_name=name, options=options
            )
        except psycopg.ProgrammingError:
            raise Refused(NO_URL) from None
        return Connection(raw, self._session.request_seconds)

    async def disconnect(self, connection: Connection) -> None:
        """See ``driver.Driver``."""
        await connection.raw.close()

    def is_open(self, connection: Connection) -> bool:
        return connection.is_open()

    def data(self, connection: Connection) -> Data:
        return PostgresData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if not isinstance(error, psycopg.Error):
            return absent() if isinstance(error, OSError) else None
        state = sqlstate(error)
        if state is None and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
            return translated_text(str(error))
        return translated(state or "", str(error))
