"""Stores under test on SQL databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from data_interface import BACKENDS
from data_interface.store import Store
from tests.support.stores.bench import counters


def store_at(driver: str, url: str, mode: str = "pool") -> Any:
    """Return a store with a few connections, not yet open."""
    return BACKENDS[driver].load()(mode, url, 4)


@asynccontextmanager
async def opened(driver: str, url: str, mode: str = "pool") -> AsyncIterator[Store]:
    """Yield an open store."""
    store: Store = store_at(driver, url, mode)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def hold(store: Store, depth: int) -> None:
    """Hold that many units of work at once."""
    if depth:
        async with store.acquire():
            await hold(store, depth - 1)


async def open_at_once(driver: str, url: str) -> tuple[int, ...]:
    """Open four stores on an empty database at once; return its packs and stickers."""
    stores = [store_at(driver, url) for _ in range(4)]
    await asyncio.gather(*[store.open() for store in stores])
    statistics = await counters(stores[0])
    for store in stores:
        await store.close()
    return statistics[:2]
