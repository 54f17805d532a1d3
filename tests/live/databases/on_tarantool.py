"""Connections and stores on a Tarantool under test."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any
from urllib.parse import unquote, urlsplit

import asynctnt

from data_interface.store import Store
from data_interface.tarantool.asynctnt_store import open_store
from databases import find
from tests.conftest import absent

SECONDS = 10.0


def need_tarantool() -> None:
    missing = find("tarantool").missing()
    if missing:
        absent(missing)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 40.0))


@contextlib.asynccontextmanager
async def connected(url: str, **options: Any) -> AsyncIterator[Any]:
    """A plain connection of the driver, as whoever the options say."""
    path = unquote(urlsplit(url).path)
    where = {"host": "unix/", "port": path} if path else {}
    plain = {"fetch_schema": False, "auto_refetch_schema": False}
    link = asynctnt.Connection(reconnect_timeout=0, ping_timeout=0, **plain, **where, **options)
    await link.connect()
    try:
        yield link
    finally:
        await link.disconnect()


@contextlib.asynccontextmanager
async def opened(url: str, connection: str = "one") -> AsyncIterator[Store]:
    store = open_store(connection, url, 10)
    await store.open()
    try:
        yield store
    finally:
        await store.close()
