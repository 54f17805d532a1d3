"""Tarantool through asynctnt, which sends many requests at a time on one connection."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Optional

import asynctnt
from asynctnt.exceptions import TarantoolDatabaseError, TarantoolError
from asynctnt.iproto import protocol

from data_interface.driver import Pool, address
from data_interface.store import Data, Store, StoreError, Unavailable
from data_interface.tarantool.data import TarantoolData
from data_interface.tarantool.layout import TarantoolStore, refused
from data_interface.timeouts import TIMEOUTS
from runtime.address import Address

# ``protocol_factory`` and the class of its protocol are not documented.
CHECKED_VERSIONS = {"asynctnt": ("2.4.0",)}

# Whatever asynctnt logs it raises as well, and the caller reports it.
logging.getLogger("asynctnt").setLevel(logging.CRITICAL)


def open_store(connection: str, url: str, size: int) -> Store:
    """Return the store on the Tarantool at ``url``. Raise ``Refused`` if that is no such URL."""
    where = address("tarantool", url)
    return TarantoolStore(connection, where, AsynctntDriver(where), size)


class _Protocol(protocol.Protocol):  # type: ignore[misc]
    """asynctnt's protocol, which gives its transport to the connection at once."""

    owner: AsynctntConnection

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.owner.transport = transport
        super().connection_made(transport)


class AsynctntConnection(asynctnt.Connection):  # type: ignore[misc]
    """A connection that can be ended at any time, also before Tarantool has greeted it.

    asynctnt's own keeps its transport open if its connect is cancelled, and closes a transport only
    after the database has read all data, which a hung database never does.
    """

    transport: Optional[asyncio.Transport] = None

    def protocol_factory(self, *arguments: Any) -> _Protocol:
        made: _Protocol = super().protocol_factory(*arguments, cls=_Protocol)
        made.owner = self
        return made

    def abort(self) -> None:
        """Close the transport; every request in progress fails."""
        if self.transport is not None:
            self.transport.abort()


class AsynctntDriver:
    """The driver asynctnt, for the connection modes."""

    multiplexed = True

    def __init__(self, where: Address) -> None:
        self._options = {
            "host": "unix/" if where.path else where.host,
            "port": where.path or where.port,
            "username": where.user,
            "password": where.password,
            # It retries after half of this. The unit of work gives up earlier.
            "connect_timeout": 3 * TIMEOUTS.page,
            # The connection modes reconnect by themselves.
            "reconnect_timeout": 0,
            "ping_timeout": 0,
        }

    async def connect(self) -> Any:
        connection = AsynctntConnection(**self._options)
        try:
            return await connection.connect()
        except AssertionError as error:
            raise Unavailable(f"The database cannot be reached: {error}") from None
        except BaseException:
            connection.abort()
            raise

    def pool(self, size: int) -> Optional[Pool]:
        return None

    async def disconnect(self, connection: Any) -> None:
        # asynctnt's own ``disconnect`` waits, and fails if it is cancelled.
        connection.abort()
        connection.close()

    def is_open(self, connection: Any) -> bool:
        return bool(connection.is_fully_connected)

    def data(self, connection: Any) -> Data:
        return TarantoolData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if isinstance(error, TarantoolDatabaseError):
            return refused(error.code, error.message)
        if isinstance(error, TarantoolError):
            return Unavailable("The connection to the database was lost.")
        if isinstance(error, OSError):
            return Unavailable(f"The database cannot be reached: {error}")
        return None
