"""Tarantool through asynctnt: many requests at a time on one connection."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Optional

import asynctnt
from asynctnt.exceptions import TarantoolDatabaseError, TarantoolError
from asynctnt.iproto import protocol

from data_interface.deadline import UNIT_SECONDS
from data_interface.driver import Pool, address
from data_interface.store import Data, Store, StoreError, Unavailable
from data_interface.tarantool.data import TarantoolData
from data_interface.tarantool.layout import TarantoolStore, refused
from runtime.address import Address

# What it logs is raised as well, and said in one line by who asked.
logging.getLogger("asynctnt").setLevel(logging.CRITICAL)


def open_store(connection: str, url: str, size: int) -> Store:
    """The store on the Tarantool at ``url``, or ``Refused``."""
    where = address("tarantool", url)
    return TarantoolStore(connection, where, AsynctntDriver(where), size)


class Protocol(protocol.Protocol):  # type: ignore[misc]
    """Tells its connection about the transport as soon as there is one."""

    link: Link

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.link.transport = transport
        super().connection_made(transport)


class Link(asynctnt.Connection):  # type: ignore[misc]
    """A connection that can be ended at any time, also while it waits for the greeting.

    asynctnt keeps a transport open when its connect is cancelled, and closes one gently: with
    data that a hung database does not take, that never ends.
    """

    transport: Optional[asyncio.Transport] = None

    def protocol_factory(self, *arguments: Any) -> Protocol:
        made: Protocol = super().protocol_factory(*arguments, cls=Protocol)
        made.link = self
        return made

    def abort(self) -> None:
        """Every request under way fails."""
        if self.transport is not None:
            self.transport.abort()


class AsynctntDriver:
    """``driver.Driver`` for asynctnt."""

    multiplexed = True

    def __init__(self, where: Address) -> None:
        self._options = {
            "host": "unix/" if where.path else where.host,
            "port": where.path or where.port,
            "username": where.user,
            "password": where.password,
            # It tries again after half of this; the unit of work gives up first.
            "connect_timeout": 3 * UNIT_SECONDS,
            # The modes connect again by themselves.
            "reconnect_timeout": 0,
            "ping_timeout": 0,
        }

    async def connect(self) -> Any:
        """See ``driver.Driver``."""
        link = Link(**self._options)
        try:
            return await link.connect()
        except AssertionError as error:
            raise Unavailable(f"The database cannot be reached: {error}") from None
        except BaseException:
            link.abort()
            raise

    def pool(self, size: int) -> Optional[Pool]:
        """See ``driver.Driver``."""
        return None

    async def disconnect(self, connection: Any) -> None:
        """See ``driver.Driver``. The driver's own waits, and fails when that is cancelled."""
        connection.abort()
        connection.close()

    def is_open(self, connection: Any) -> bool:
        """See ``driver.Driver``."""
        return bool(connection.is_fully_connected)

    def data(self, connection: Any) -> Data:
        """See ``driver.Driver``."""
        return TarantoolData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        """See ``driver.Driver``."""
        if isinstance(error, TarantoolDatabaseError):
            return refused(error.code, error.message)
        if isinstance(error, TarantoolError):
            return Unavailable("The connection to the database was lost.")
        if isinstance(error, OSError):
            return Unavailable(f"The database cannot be reached: {error}")
        return None
