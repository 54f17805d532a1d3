"""The connection that all pages of a store use at once, when a page on it takes too long."""

from __future__ import annotations

import asyncio

from data_interface.store import Unavailable
from tests.live.stores.test_limits import too_slow
from tests.support.stores.bench import Bench, new_ballot, raises
from tests.support.stores.insiders import page_timeout

AXES = "shared connection"


async def test_a_shared_connection_that_answers_is_kept(bench: Bench) -> None:
    async with bench.store() as store:
        with page_timeout(store, 0.3):
            page = asyncio.ensure_future(raises(Unavailable, too_slow(store)))
            await asyncio.sleep(0.1)
        kept = store._mode._connection  # type: ignore[attr-defined]
        await new_ballot(store)
        await page
        assert store._driver.is_open(kept)  # type: ignore[attr-defined]


async def test_a_shared_connection_that_answers_nobody_is_replaced(bench: Bench) -> None:
    async with bench.store() as store:
        await new_ballot(store)
        old = store._mode._connection  # type: ignore[attr-defined]
        with page_timeout(store, 0.1):
            await raises(Unavailable, too_slow(store))
        assert not store._driver.is_open(old)  # type: ignore[attr-defined]
        await new_ballot(store)
        assert store._mode._connection is not old  # type: ignore[attr-defined]
