"""PostgreSQL through asyncpg."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Awaitable, Callable, Dict, Optional

import asyncpg

from data_interface.article import Request, Rows
from data_interface.postgres.data import PostgresData
from data_interface.postgres.refusals import NO_URL, absent, sqlstate, translated
from data_interface.postgres.store import PostgresStore, Session
from data_interface.store import Data, Refused, StoreError

# A page that waited for a hung database does not wait for its goodbye as well.
GOODBYE_SECONDS = 0.05

# Cancelled early in a connect, asyncpg before 0.32 leaves an error that nobody looks at.
LITTERS = tuple(int(part) for part in asyncpg.__version__.split(".")[:2]) < (0, 32)

ABSENCES = (
    asyncpg.InterfaceError,
    # A server that shuts down says so between two requests: asyncpg takes that for a disorder.
    asyncpg.InternalClientError,
    OSError,
)


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """The store at a ``postgresql://`` URL in one of the modes of ``connections.mode``."""
    return PostgresStore(connection, url, size, AsyncpgDriver)


class Connection:
    """asyncpg's connection, which prepares every statement at its first use.

    ``PreparedStatement.fetch`` saves the look-up that ``Connection.fetch`` does in its cache.
    """

    def __init__(self, raw: asyncpg.Connection[Any]) -> None:
        self.raw = raw
        self._prepared: Dict[str, Callable[..., Awaitable[Rows]]] = {}

    def fetch(self, statement: str, *arguments: Any) -> Request:
        """See ``data.Connection``."""
        fetch = self._prepared.get(statement)
        if fetch is None:
            return self._prepare(statement, arguments)
        return fetch(*arguments)

    async def _prepare(self, statement: str, arguments: Any) -> Rows:
        fetch = (await self.raw.prepare(statement)).fetch
        self._prepared[statement] = fetch
        rows: Rows = await fetch(*arguments)
        return rows

    async def script(self, statements: str) -> None:
        """See ``data.Connection``."""
        await self.raw.execute(statements)


class AsyncpgDriver:
    """How to connect with asyncpg; see ``driver.Driver``."""

    # One connection serves one statement at a time.
    multiplexed = False

    def __init__(self, url: str, session: Session) -> None:
        self._url = url
        self._session = session

    async def connect(self) -> Connection:
        """See ``driver.Driver``. A cancelled page lets a driver that litters end first."""
        if not LITTERS:
            return await self._connect()
        attempt = asyncio.ensure_future(self._connect())
        try:
            return await asyncio.shield(attempt)
        except asyncio.CancelledError:
            await asyncio.wait([attempt], timeout=GOODBYE_SECONDS)
            if not attempt.cancel() and attempt.exception() is None:
                attempt.result().raw.terminate()
            raise

    async def _connect(self) -> Connection:
        try:
            raw = await asyncpg.connect(
                self._url,
                command_timeout=self._session.request_seconds,
                server_settings=self._session.settings,
            )
        except ValueError:
            raise Refused(NO_URL) from None
        return Connection(raw)

    async def disconnect(self, connection: Connection) -> None:
        """See ``driver.Driver``."""
        if connection.raw.is_closed():
            return
        try:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(connection.raw.close(), GOODBYE_SECONDS)
        finally:
            connection.raw.terminate()

    def is_open(self, connection: Connection) -> bool:
        return not connection.raw.is_closed()

    def data(self, connection: Connection) -> Data:
        return PostgresData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, asyncpg.PostgresError):
            return translated(sqlstate(error) or "", str(error))
        return absent() if isinstance(error, ABSENCES) else None
