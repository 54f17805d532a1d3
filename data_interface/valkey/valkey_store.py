"""Valkey through the asyncio client of valkey-py."""

from __future__ import annotations

import json
import select
from pathlib import Path
from typing import Any, Callable, Dict, Optional

from valkey import exceptions
from valkey.asyncio import Valkey

from data_interface import HOUSEKEEPING
from data_interface.connections import mode
from data_interface.deadline import Deadline
from data_interface.driver import Pool, address, connect, raise_translated
from data_interface.stickers import catalogue
from data_interface.store import (
    Busy,
    Conflict,
    Data,
    NotFound,
    Refused,
    StoreError,
    Unavailable,
)
from data_interface.timeouts import TIMEOUTS
from data_interface.unit import Unit
from data_interface.valkey.data import ValkeyData
from runtime.address import Address
from runtime.paths import ROOT

# ``_writer`` of a connection is private: nothing public shows whether the server has closed it.
CHECKED_VERSIONS = {"valkey": ("6.1.1", "6.2.0")}

FUNCTIONS = Path(__file__).with_name("functions.lua")
SUMS = ROOT / "tarantool" / "sums.lua"
UNREACHABLE = "Valkey does not answer."
# The words with which the site's functions refuse something.
KINDS = {"NOTFOUND": NotFound, "CONFLICT": Conflict}
REFUSALS = (exceptions.AuthenticationError, exceptions.NoPermissionError)
# Errors that have no class of their own begin with these.
NO_DATABASE = "DB index"
# There are too many clients; the disk is full.
NO_ROOM = ("max number of clients", "MISCONF")
AWAY = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.ReadOnlyError)


def open_store(connection: str, url: str, size: int) -> ValkeyStore:
    """Return the store on the Valkey at ``url``. Raise ``Refused`` if that is no such URL."""
    return ValkeyStore(connection, address("valkey", url), size)


class ValkeyStore:
    """A store on Valkey, in one connection mode."""

    def __init__(self, connection: str, where: Address, size: int) -> None:
        self._address = where
        self._driver = ValkeyDriver(where)
        self._setup = ValkeyDriver(where, client_name=HOUSEKEEPING)
        self._mode = mode(connection, self._driver, size)
        self.acquire: Callable[[], Unit] = self._mode.acquire

    async def open(self) -> None:
        try:
            client = await connect(self._setup)
        except Unavailable as error:
            raise Unavailable(f"Is Valkey running at {self._address}? {error}") from None
        try:
            with Deadline(TIMEOUTS.schema):
                await client.function_load(library(), replace=True)
                await client.fcall("stickers_change", 0, "load", *map(json.dumps, catalogue()))
        except Exception as error:
            raise_translated(self._setup, error)
            raise
        finally:
            await self._setup.disconnect(client)
        await self._mode.open()

    async def close(self) -> None:
        await self._mode.close()


def library() -> str:
    """Return the text of the site's functions."""
    sums = SUMS.read_text(encoding="utf-8")
    functions = FUNCTIONS.read_text(encoding="utf-8")
    return f"#!lua name=stickers\nlocal make_sums = (function() {sums} end)()\n{functions}"


class ValkeyDriver:
    """The asyncio client of valkey-py, for the connection modes."""

    # A client with a single connection serves one request at a time.
    multiplexed = False

    def __init__(self, where: Address, **options: Any) -> None:
        place: Dict[str, Any] = {"unix_socket_path": where.path}
        if not where.path:
            place = {"host": where.host, "port": where.port, "db": where.name or 0}
        self._options = {
            **place,
            "username": where.user,
            "password": where.password,
            "single_connection_client": True,
            "decode_responses": True,
            "socket_timeout": None,
            # Redis 7.0 refuses to be told the client's name and version, and each connect would
            # leave that error in a cycle.
            "lib_name": None,
            "lib_version": None,
            **options,
        }

    async def connect(self) -> Any:
        return await Valkey(**self._options).initialize()

    def pool(self, size: int) -> Optional[Pool]:
        """Return None: the client's pool hands out a connection for each request, not each page."""
        return None

    async def disconnect(self, client: Any) -> None:
        connection, client.connection = client.connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)

    def is_open(self, client: Any) -> bool:
        writer = client.connection and client.connection._writer  # noqa: SLF001  see above
        if writer is None or writer.is_closing():
            return False
        watch = select.poll()
        watch.register(writer.get_extra_info("socket"), select.POLLRDHUP)
        return not watch.poll(0)

    def data(self, client: Any) -> Data:
        return ValkeyData(client)

    def translate(self, error: BaseException) -> Optional[StoreError]:
        if not isinstance(error, exceptions.ValkeyError):
            return Unavailable(UNREACHABLE) if isinstance(error, OSError) else None
        # What the server refuses while the client connects is the cause of another error.
        cause = error.__cause__ if isinstance(error.__cause__, exceptions.ValkeyError) else error
        text = str(cause).partition("\n")[0]
        kind, _, rest = text.partition(" ")
        if kind in KINDS:
            return KINDS[kind](rest)
        if isinstance(cause, REFUSALS) or text.startswith(NO_DATABASE):
            return Refused(f"Valkey refuses VALKEY_URL: {text}")
        if isinstance(cause, exceptions.OutOfMemoryError) or text.startswith(NO_ROOM):
            return Busy(f"Valkey has no room: {text}")
        if isinstance(cause, AWAY):
            return Unavailable(UNREACHABLE)
        return StoreError(f"Valkey failed: {text}")
