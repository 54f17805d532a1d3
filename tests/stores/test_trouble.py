"""What happens when there is too much, too little, or no database."""

from __future__ import annotations

import asyncio
import functools
import gc
import os
import time
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, AsyncIterator, List

from data_interface.connections import MOST_CONNECTIONS
from data_interface.store import CLEAN_EVERY_SECONDS, SESSION_SECONDS, Busy, NotFound
from tests.stores.bench import (
    PATIENCE_SECONDS,
    Bench,
    counters,
    eventually,
    forgotten,
    new_ballot,
    raises,
    vote,
    within,
)
from tests.stores.insiders import lowered, unhurried, units_of

CLEAN_SECONDS = 5 * CLEAN_EVERY_SECONDS
# More than a pool has connections. In the mode `query` each of them connects nine times.
CROWD = 12


async def test_no_connection_left_is_busy(bench: Bench) -> None:
    """Then, with one given back, it goes on."""
    size = 2
    most = {"one": 1, "pool": size, "gate": size, "multi": MOST_CONNECTIONS}.get(bench.connection)
    if most is None or bench.plugin.database is None:
        return
    async with bench.store(size) as store:
        if bench.connection == "one" and bench.multiplexes(store):
            return
        async with AsyncExitStack() as held:
            with units_of(store, 60.0):
                for _ in range(most):
                    await held.enter_async_context(store.acquire())
            with units_of(store, 0.2), within(0.2):
                await raises(Busy, new_ballot(store))
            # Whoever waits gets the first connection that is given back.
            waiting = asyncio.ensure_future(new_ballot(store))
            await asyncio.sleep(0.1)
            assert not waiting.done()
        with within(PATIENCE_SECONDS):
            await waiting
            await new_ballot(store)


async def test_a_crowd_is_served(bench: Bench) -> None:
    async with bench.store() as store:
        with unhurried(store):
            ballots = await asyncio.gather(*[new_ballot(store) for _ in range(CROWD)])
        assert len({ballot.left_token for ballot in ballots}) == CROWD


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
    """Nothing is left that asyncio complains of, and no connection, wherever the page was."""
    complaints: List[Any] = []
    asyncio.get_event_loop().set_exception_handler(lambda _, one: complaints.append(one))
    before = open_files()
    async with only_what_is_new(), bench.store(2) as store:
        began = time.monotonic()
        await new_ballot(store)
        length = time.monotonic() - began
        waits = [turns * (0.0,) for turns in range(20)]  # sleeps in a row, each a turn of the loop
        for wait in [*waits, *((length * part / 40,) for part in range(40))]:
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
    """Of this process."""
    return len(os.listdir("/proc/self/fd"))


async def test_a_burst_stays_within_the_bounds(bench: Bench) -> None:
    """Three times the bound of tokens and sessions; no visitor is forgotten, new ones go on."""
    with lowered(tokens=40, sessions=20):
        async with bench.store() as store, bench.insider(store) as insider:
            before = await counters(store)
            for _ in range(60):
                await new_ballot(store)

            async def bounded() -> bool:
                tokens, sessions = await insider.kept()
                return tokens <= 40 and sessions <= 20

            await eventually(bounded, CLEAN_SECONDS, "the bounds were not kept")
            # A database may know the age in whole seconds only: be newer than the burst.
            await asyncio.sleep(1.1)
            newest = await new_ballot(store)
            await eventually(bounded, CLEAN_SECONDS, "the bounds were not kept")
            assert await vote(store, newest.left_token, newest.right_token) is True
            assert (await insider.session(newest.session))[2] == 1
            assert (await counters(store)).visitors == before.visitors + 61
    async with bench.store():
        # A store with the usual bounds: some databases keep what the last one asked for.
        pass


async def test_the_old_is_cleaned(bench: Bench) -> None:
    async with bench.store() as store, bench.insider(store) as insider:
        ballot = await new_ballot(store)
        before = await counters(store)
        await insider.age_session(ballot.session, SESSION_SECONDS + 1)
        await insider.expire(ballot.left_token)
        await new_ballot(store)
        done = functools.partial(forgotten, insider, ballot.session)
        await eventually(done, CLEAN_SECONDS, "the session was not cleaned")
        assert (await counters(store)).visitors > before.visitors


async def test_an_empty_site_has_no_ballot(bench: Bench) -> None:
    """Only where a site of its own costs nothing."""
    if bench.backend != "memory":
        return
    async with bench.store() as store, store.acquire() as data:
        for pack in await data.packs():
            for sticker in await data.stickers(pack.id):
                if sticker.id > 1:
                    await data.delete_sticker(pack.id, sticker.id)
        await raises(NotFound, new_ballot(store))
