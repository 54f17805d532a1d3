"""Tarantool through aiotarantool, the driver of the article, on CPython 3.7 only.

This is not quite what users of aiotarantool run. Requests, answers and their encoding are its own
code, but connecting and closing are replaced (``AiotarantoolConnection``), and connection objects
are copied instead of made (``AiotarantoolDriver._new_connection``). The modes ``multi`` and
``query`` connect for each page or query, so their figures are not those of the released driver.
"""

from __future__ import annotations

import asyncio
import copy
from typing import Any, Callable, Dict, Optional

import aiotarantool
from tarantool.error import DatabaseError, NetworkError

from data_interface.article import Request
from data_interface.driver import Pool, address
from data_interface.store import Data, Store, StoreError, Unavailable
from data_interface.tarantool.data import TarantoolData
from data_interface.tarantool.layout import TarantoolStore, refused
from runtime.address import Address

# Everything private that is used below belongs to these versions.
CHECKED_VERSIONS = {"aiotarantool": ("1.1.5",)}

LOST = "The connection to the database was lost."


def open_store(connection: str, url: str, size: int) -> Store:
    """Return the store on the Tarantool at ``url``; raise ``Refused`` if the URL is malformed."""
    where = address("tarantool", url)
    return TarantoolStore(connection, where, AiotarantoolDriver(where), size)


class AiotarantoolConnection(aiotarantool.Connection):  # type: ignore[misc]
    """A connection that connects and closes in another way than the driver's own.

    (1) It can connect to a Unix socket. (2) It waits for the database's greeting before it sends a
    request. The driver does not wait, and a request to a database that is gone gets no answer.
    (3) When the reader ends, every request in progress fails. In the driver some of them wait for
    ever. (4) An ended connection stays ended. The driver would connect again within a page.
    """

    path: Optional[str] = None
    ended = False
    _waiters: Dict[int, asyncio.Future[Any]]
    _writer: Optional[asyncio.StreamWriter]

    async def _do_connect(self) -> None:
        if self.ended:
            raise ConnectionResetError(LOST)
        if self.path is None:
            streams = asyncio.open_connection(self.host, self.port)
        else:
            streams = asyncio.open_unix_connection(self.path)
        self._reader, self._writer = await streams
        self._write_event = asyncio.Event()
        self._write_buf = b""
        self._greeting_event = asyncio.Event()
        self._reader_task = self.loop.create_task(self._response_reader())
        self._reader_task.add_done_callback(self._reader_ended)
        self._writer_task = self.loop.create_task(self._response_writer())
        await self._greeting_event.wait()
        if not self._salt:
            raise ConnectionResetError(LOST)
        if self.user:
            await self._authenticate(self.user, self.password)

    def _reader_ended(self, reader: asyncio.Task[None]) -> None:
        if not reader.cancelled():
            # asyncio logs an error that nobody retrieves.
            reader.exception()
        self.end()

    async def _do_close(self, exc: Optional[BaseException]) -> None:
        # The driver's own _do_close raises if a request was cancelled earlier.
        self.end()

    def end(self) -> None:
        """Close at once; every request in progress fails."""
        self.connected = False
        self.ended = True
        if self._writer is None:
            return
        self._writer.transport.abort()
        self._reader_task.cancel()
        self._writer_task.cancel()
        waiting, self._waiters = self._waiters, {}
        for waiter in waiting.values():
            if not waiter.done():
                waiter.set_exception(ConnectionResetError(LOST))


class ConcurrentRequests:
    """Starts each request at once, as ``asyncio.gather`` does with the driver's coroutines."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Callable[..., Request]:
        method = getattr(self._connection, name)

        def request(*arguments: Any, **options: Any) -> Request:
            task: Request = asyncio.ensure_future(method(*arguments, **options))
            return task

        return request


class AiotarantoolDriver:
    """The driver aiotarantool, for the connection modes."""

    multiplexed = True

    def __init__(self, where: Address) -> None:
        self._address = where
        self._pattern: Optional[AiotarantoolConnection] = None

    async def connect(self) -> Any:
        connection = self._new_connection()
        try:
            await connection.connect()
        except BaseException:
            connection.end()
            raise
        return connection

    def _new_connection(self) -> AiotarantoolConnection:
        # To make a connection object takes 3 ms, because the driver runs system programs to find
        # the C library. So only the first one is made; the others are copies of it, each with its
        # own lock and waiters.
        where = self._address
        if self._pattern is None:
            self._pattern = AiotarantoolConnection(
                where.host, where.port, where.user, where.password
            )
            self._pattern.path = where.path
            # Tarantool does not check schema version 0. The driver's own, 1, is refused, and the
            # first request of each connection has to be sent twice.
            self._pattern.schema_version = 0
        connection = copy.copy(self._pattern)
        connection.lock = asyncio.Lock()
        connection.loop = asyncio.get_event_loop()
        connection._waiters = {}  # noqa: SLF001
        return connection

    def pool(self, size: int) -> Optional[Pool]:
        return None

    async def disconnect(self, connection: Any) -> None:
        connection.end()

    def is_open(self, connection: Any) -> bool:
        return bool(connection.connected)

    def data(self, connection: Any) -> Data:
        return TarantoolData(ConcurrentRequests(connection))

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, NetworkError):
            return Unavailable(LOST)
        if isinstance(error, DatabaseError):
            return refused(*error.args)
        if isinstance(error, OSError):
            return Unavailable(f"The database cannot be reached: {error}")
        return None
