"""The votes as the database has them, for those who check a server against it."""

from __future__ import annotations

import importlib.util
import platform

from data_interface import BACKENDS, Backend
from data_interface.store import Store, StoreError


async def votes(database: str, url: str) -> int:
    """How many votes the database at a URL has counted. Makes and loads nothing.

    Through the first backend of that database that can be imported here; StoreError when there is
    none, when the database refuses or does not answer.
    """
    for backend in BACKENDS.values():
        if backend.database == database and _runs_here(backend):
            store: Store = backend.load()("one", url, 1)
            break
    else:
        raise StoreError(f"No driver for {database} is installed here: make env")
    try:
        async with store.acquire() as data:
            return (await data.statistics()).votes
    finally:
        await store.close()


def _runs_here(backend: Backend) -> bool:
    if not backend.suits(platform.python_version()):
        return False
    return all(importlib.util.find_spec(need) for need in backend.needs)
