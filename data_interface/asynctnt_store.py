"""Tarantool through asynctnt: many requests at a time on one connection."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

import asynctnt
from asynctnt.exceptions import TarantoolDatabaseError, TarantoolError

from .connections import CONNECT_SECONDS, REQUEST_SECONDS, quietly
from .store import Data, Store, StoreError, Unavailable
from .tarantool_layout import Address, TarantoolData, TarantoolStore, parse_url, refused

LOOK_SECONDS = 0.2
SHORT_LIVED = ("multi", "query")


def open_store(connection: str, url: str, size: int) -> Store:
    """The store on the Tarantool at ``url``; see ``tarantool_layout.parse_url``."""
    driver = AsynctntDriver(parse_url(url), watched=connection not in SHORT_LIVED)
    return TarantoolStore(connection, driver, size)


class AsynctntDriver:
    """``connections.Driver`` for asynctnt.

    The driver's own time limit costs a timer and a callback for each request. A connection that
    lives long is ``watched`` instead: one timer for all of its requests.
    """

    multiplexed = True

    def __init__(self, address: Address, watched: bool) -> None:
        self._watched = watched
        self._options = {
            "host": "unix/" if address.path else address.host,
            "port": address.path or address.port,
            "username": address.user,
            "password": address.password,
            "connect_timeout": CONNECT_SECONDS,
            "request_timeout": None if watched else REQUEST_SECONDS,
            # The layout's ids are known, and the modes connect again by themselves.
            "fetch_schema": False,
            "auto_refetch_schema": False,
            "reconnect_timeout": 0,
            "ping_timeout": 0,
        }

    async def connect(self) -> Any:
        """See ``connections.Driver``."""
        return await asynctnt.connect(**self._options)

    async def disconnect(self, connection: Any) -> None:
        """See ``connections.Driver``."""
        await quietly(connection.disconnect())

    def is_open(self, connection: Any) -> bool:
        """See ``connections.Driver``."""
        return bool(connection.is_fully_connected)

    def data(self, connection: Any) -> Data:
        """See ``connections.Driver``."""
        return TarantoolData(connection)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        """See ``connections.Driver``."""
        if isinstance(error, TarantoolDatabaseError):
            return refused(error.code, error.message)
        if isinstance(error, TarantoolError):
            return Unavailable("The connection to the database was lost.")
        return None
