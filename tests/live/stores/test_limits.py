"""The time limit of a page, on every driver: nothing of the page is left behind."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from data_interface.store import Busy, Unavailable
from data_interface.unit import Unit
from tests.support.stores.bench import (
    PATIENCE_SECONDS,
    Bench,
    answers,
    eventually,
    new_ballot,
    raises,
)
from tests.support.stores.insiders import page_timeout

AXES = "driver and mode"


async def too_slow(store: Any) -> None:
    """Be a page that takes too long by itself."""
    async with store.acquire() as data:
        await data.packs()
        await asyncio.get_event_loop().create_future()


def needs_shared_connection(bench: Bench, store: Any) -> None:
    """Skip the test unless all pages use one connection at a time."""
    if bench.connection != "one" or not bench.multiplexes(store):
        pytest.skip("each page has a connection of its own")


async def test_a_shared_connection_that_answers_is_kept(bench: Bench) -> None:
    async with bench.store() as store:
        needs_shared_connection(bench, store)
        with page_timeout(store, 0.3):
            page = asyncio.ensure_future(raises(Unavailable, too_slow(store)))
            await asyncio.sleep(0.1)
        kept = store._mode._connection  # type: ignore[attr-defined]
        await new_ballot(store)
        await page
        assert store._driver.is_open(kept)  # type: ignore[attr-defined]


async def test_a_shared_connection_that_answers_nobody_is_replaced(bench: Bench) -> None:
    async with bench.store() as store:
        needs_shared_connection(bench, store)
        await new_ballot(store)
        old = store._mode._connection  # type: ignore[attr-defined]
        with page_timeout(store, 0.1):
            await raises(Unavailable, too_slow(store))
        assert not store._driver.is_open(old)  # type: ignore[attr-defined]
        await new_ballot(store)
        assert store._mode._connection is not old  # type: ignore[attr-defined]


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
