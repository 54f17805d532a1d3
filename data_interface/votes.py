"""The votes as the database has them, for those who check a server against it."""

from __future__ import annotations

import importlib.util
import platform

from data_interface import BACKENDS, Backend
from data_interface.store import Store, StoreError


async def votes(database: str, url: str) -> int:
    """How many votes the database at a URL has counted. Makes and loads nothing.

    StoreError when no driver is here, when the database refuses or does not answer.
    """
    store = store_of(database, url)
    try:
        async with store.acquire() as data:
            return (await data.statistics()).votes
    finally:
        await store.close()


def store_of(database: str, url: str) -> Store:
    """A store on the database at a URL, by the first of its backends that can be imported here.

    It is not open. StoreError when there is none, when the URL is none.
    """
    for backend in BACKENDS.values():
        if backend.database == database and _runs_here(backend):
            store: Store = backend.load()("one", url, 1)
            return store
    raise StoreError(f"No driver for {database} is installed here: make env")


def _runs_here(backend: Backend) -> bool:
    if not backend.suits(platform.python_version()):
        return False
    return all(importlib.util.find_spec(need) for need in backend.needs)
