"""The time limit of a page, on every driver: nothing of the page is left behind."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from data_interface.store import Busy, Unavailable
from data_interface.unit import Unit
from tests.support.stores.bench import (
    PATIENCE_SECONDS,
    Bench,
    answers,
    eventually,
    new_ballot,
)
from tests.support.stores.insiders import page_timeout
from tests.support.stores.threads import needs_loop

AXES = "driver and mode"


async def too_slow(store: Any) -> None:
    """Be a page that takes too long by itself."""
    async with store.acquire() as data:
        await data.packs()
        await asyncio.get_event_loop().create_future()


@needs_loop
async def test_a_page_that_takes_too_long_returns_its_connection(bench: Bench) -> None:
    """After twice as many such pages as there are connections the store answers as before."""
    async with bench.store(2) as store:
        with page_timeout(store, 0.3):
            pages = [too_slow(store) for _ in range(4)]
            results = await asyncio.gather(*pages, return_exceptions=True)
        assert all(isinstance(one, (Unavailable, Busy)) for one in results), results
        await eventually(lambda: answers(store), PATIENCE_SECONDS, "the store did not recover")
        await asyncio.gather(*[new_ballot(store) for _ in range(4)])


async def test_a_page_leaves_nothing_to_the_garbage_collector(bench: Bench) -> None:
    """A cycle would keep the page's task and its answer, which japronto frees by itself."""
    async with bench.store(2) as store:
        await new_ballot(store)
        gc.collect()
        gc.freeze()
        gc.disable()
        try:
            await new_ballot(store)
            left = [one for one in gc.get_objects() if isinstance(one, Unit)]
        finally:
            gc.enable()
            gc.unfreeze()
    assert left == []
