"""Stores with too many pages, and with pages that are cancelled."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, AsyncIterator, List

from data_interface.connections import MOST_CONNECTIONS
from data_interface.store import CLEAN_EVERY_SECONDS, Busy
from tests.support.stores.bench import (
    PATIENCE_SECONDS,
    Bench,
    eventually,
    new_ballot,
    raises,
    vote,
    within,
)
from tests.support.stores.insiders import page_timeout, unhurried

AXES = "driver and mode"

CLEAN_SECONDS = 5 * CLEAN_EVERY_SECONDS
# More than a pool has connections. In the mode `query` each of them connects nine times.
VOTERS = 12


async def test_no_connection_left_is_busy(bench: Bench) -> None:
    """A page that waits continues when another one returns its connection."""
    size = 2
    most = {"one": 1, "pool": size, "gate": size, "multi": MOST_CONNECTIONS}.get(bench.connection)
    if most is None or bench.plugin.database is None:
        return
    async with bench.store(size) as store:
        if bench.connection == "one" and bench.multiplexes(store):
            return
        async with AsyncExitStack() as held:
            with page_timeout(store, 60.0):
                for _ in range(most):
                    await held.enter_async_context(store.acquire())
            with page_timeout(store, 0.2), within(0.2):
                await raises(Busy, new_ballot(store))
            # Whoever waits gets the first connection that is given back.
            waiting = asyncio.ensure_future(new_ballot(store))
            await asyncio.sleep(0.1)
            assert not waiting.done()
        with within(PATIENCE_SECONDS):
            await waiting
            await new_ballot(store)


async def test_many_voters_are_served(bench: Bench) -> None:
    async with bench.store() as store:
        with unhurried(store):
            ballots = await asyncio.gather(*[new_ballot(store) for _ in range(VOTERS)])
        assert len({ballot.left_token for ballot in ballots}) == VOTERS


async def test_a_cancelled_page_disturbs_nobody(bench: Bench) -> None:
    """Its answer must not be taken for the next one's."""
    async with bench.store(2) as store:
        for delay in (0.0, 0.001, 0.003):
            pages = [asyncio.ensure_future(new_ballot(store)) for _ in range(6)]
            await asyncio.sleep(delay)
            for page in pages[::2]:
                page.cancel()
            results = await asyncio.gather(*pages, return_exceptions=True)
            ballots = [one for one in results if not isinstance(one, BaseException)]
            assert len(ballots) >= 3, results
            for ballot in [*ballots, await new_ballot(store)]:
                assert await vote(store, ballot.left_token, ballot.right_token) is True


async def test_a_page_cancelled_at_any_turn_is_quiet(bench: Bench) -> None:
    """Wherever the page was, asyncio complains of nothing, and no connection is left open."""
    complaints: List[Any] = []
    asyncio.get_event_loop().set_exception_handler(lambda _, one: complaints.append(one))
    before = open_files()
    async with only_what_is_new(), bench.store(2) as store:
        began = time.monotonic()
        await new_ballot(store)
        length = time.monotonic() - began
        waits = [turns * (0.0,) for turns in range(20)]  # sleeps in a row, each a turn of the loop
        for wait in [*waits, *((length * part / 20,) for part in range(20))]:
            page = asyncio.ensure_future(new_ballot(store))
            for seconds in wait:
                await asyncio.sleep(seconds)
            page.cancel()
            await asyncio.wait([page])
            gc.collect()
            assert not complaints, f"cancelled after {wait}: {complaints}"
        await new_ballot(store)

    async def closed() -> bool:
        return open_files() <= before

    await eventually(closed, PATIENCE_SECONDS, "connections are left open")
    assert not complaints


@asynccontextmanager
async def only_what_is_new() -> AsyncIterator[None]:
    """The garbage collector leaves all else alone: what a whole run of tests has in memory would
    take it most of the test's time.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def open_files() -> int:
    """Return the number of open files of this process."""
    return len(os.listdir("/proc/self/fd"))
