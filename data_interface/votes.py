"""Reads the number of votes or edits from a database, to check a server against it."""

from __future__ import annotations

import importlib.util
import platform
from typing import Awaitable, Callable, TypeVar

from data_interface import BACKENDS, Backend
from data_interface.store import Data, Store, StoreError
from runtime.paths import extra

T = TypeVar("T")


async def votes(database: str, url: str, layout: str = "") -> int:
    """Return the number of votes in a layout of the database at a URL, without changing it.

    Raises StoreError if no driver is installed, and if the database refuses or does not answer.
    """
    return (await _read(database, url, layout, lambda data: data.statistics())).votes


async def edits(database: str, url: str, layout: str = "") -> int:
    """Return the number of edits in the same way."""
    return await _read(database, url, layout, lambda data: data.edits())


async def _read(database: str, url: str, layout: str, ask: Callable[[Data], Awaitable[T]]) -> T:
    store = store_of(database, url, layout)
    try:
        async with store.acquire() as data:
            return await ask(data)
    finally:
        await store.close()


def store_of(database: str, url: str, layout: str = "") -> Store:
    """Return a store, not yet open, with the first backend of the layout that can be imported.

    Raises StoreError if there is none, and ``Refused`` if the URL is malformed.
    """
    for backend in BACKENDS.values():
        if (backend.database, backend.layout) == (database, layout) and _runs_here(backend):
            store: Store = backend.load()("one", url, 1)
            return store
    raise StoreError(f"No driver for {database} is installed here: {extra('site')}")


def _runs_here(backend: Backend) -> bool:
    if not backend.suits(platform.python_version()):
        return False
    return all(importlib.util.find_spec(need) for need in backend.needs)
