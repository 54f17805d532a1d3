"""Tarantool through aiotarantool, the driver of the article: CPython 3.7 only."""

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

LOST = "The connection to the database was lost."


def open_store(connection: str, url: str, size: int) -> Store:
    """The store on the Tarantool at ``url``, or ``Refused``."""
    where = address("tarantool", url)
    return TarantoolStore(connection, where, AiotarantoolDriver(where), size)


class Link(aiotarantool.Connection):  # type: ignore[misc]
    """A connection of the driver, mended where a lost database would hang or litter a server.

    Requests are the driver's own coroutines.
    """

    path: Optional[str] = None
    ended = False
    _waiters: Dict[int, asyncio.Future[Any]]
    _writer: Optional[asyncio.StreamWriter]

    async def _do_connect(self) -> None:
        """As the driver does it, on a Unix socket too, and not done before the greeting came."""
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
        """Nobody else looks at what ended it, be it a reset or an answer it cannot read."""
        if not reader.cancelled():
            reader.exception()
        self.end()

    async def _do_close(self, exc: Optional[BaseException]) -> None:
        """As the driver does it, but a request that was given up before is no reason to fail."""
        self.end()

    def end(self) -> None:
        """Close at once; every request under way fails."""
        self.connected = False
        # Its own would connect again, for the next request of a page that does not know.
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


class Together:
    """A page's requests under way at a time, as ``asyncio.gather`` of the driver's coroutines."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Callable[..., Request]:
        method = getattr(self._connection, name)

        def request(*arguments: Any, **options: Any) -> Request:
            task: Request = asyncio.ensure_future(method(*arguments, **options))
            return task

        return request


class AiotarantoolDriver:
    """``driver.Driver`` for aiotarantool."""

    multiplexed = True

    def __init__(self, where: Address) -> None:
        # Making one looks for the C library with programs of the system, 3 ms each time; a copy
        # of one that never was connected does not.
        self._pattern: Optional[Link] = None
        self._address = where

    async def connect(self) -> Any:
        """See ``driver.Driver``."""
        link = self._new_link()
        try:
            await link.connect()
        except BaseException:
            link.end()
            raise
        return link

    def _new_link(self) -> Link:
        where = self._address
        if self._pattern is None:
            self._pattern = Link(where.host, where.port, where.user, where.password)
            self._pattern.path = where.path
            # Without a version the database does not check it: one request less to connect.
            self._pattern.schema_version = 0
        link = copy.copy(self._pattern)
        link.lock = asyncio.Lock()
        link.loop = asyncio.get_event_loop()
        link._waiters = {}  # noqa: SLF001
        return link

    def pool(self, size: int) -> Optional[Pool]:
        """See ``driver.Driver``."""
        return None

    async def disconnect(self, connection: Any) -> None:
        """See ``driver.Driver``."""
        connection.end()

    def is_open(self, connection: Any) -> bool:
        """See ``driver.Driver``."""
        return bool(connection.connected)

    def data(self, connection: Any) -> Data:
        """See ``driver.Driver``."""
        return TarantoolData(Together(connection))

    def translate(self, error: BaseException) -> Optional[StoreError]:
        """See ``driver.Driver``."""
        if isinstance(error, NetworkError):
            return Unavailable(LOST)
        if isinstance(error, DatabaseError):
            return refused(*error.args)
        if isinstance(error, OSError):
            return Unavailable(f"The database cannot be reached: {error}")
        return None
