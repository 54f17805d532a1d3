"""Stores on a database that dies, hangs, refuses, or is somewhere else."""

from __future__ import annotations

import asyncio
import functools
import gc
from contextlib import AsyncExitStack
from typing import Any, List

from data_interface.store import (
    CLEAN_EVERY_SECONDS,
    SESSION_SECONDS,
    Busy,
    Refused,
    Store,
    Unavailable,
)
from data_interface.votes import votes
from databases.wire import tapped
from tests.live.stores.test_votes import attempt, changed, one_counted, scores, warm
from tests.support.stores.bench import (
    PATIENCE_SECONDS,
    Bench,
    answers,
    counters,
    eventually,
    forgotten,
    new_ballot,
    raises,
    vote,
    within,
)
from tests.support.stores.embedded import needs_server
from tests.support.stores.insiders import page_timeout
from tests.support.stores.threads import needs_loop

AXES = "driver and mode"

CLEAN_SECONDS = 5 * CLEAN_EVERY_SECONDS


async def test_opening_again_loads_nothing(bench: Bench) -> None:
    async with bench.store() as store:
        before = await counters(store)
        async with bench.store() as other:
            assert await counters(other) == before


async def test_two_servers_at_once_count_once(bench: Bench) -> None:
    """Each has connections of its own, as two processes have."""
    async with bench.store() as one, bench.store() as other:
        await asyncio.gather(warm(one), warm(other))
        ballot = await new_ballot(one)
        before = await scores(one, ballot)
        pair = (ballot.left_token, ballot.right_token)
        stores = [one, other] * 20
        results = await asyncio.gather(*[attempt(store, *pair) for store in stores])
        assert one_counted(results), results
        assert await scores(other, ballot) == changed(before, winner=0)


@needs_server
async def test_a_killed_database_comes_back(bench: Bench) -> None:
    """Pages fail quickly while it is away, work within 2 s of its return, and no vote is lost."""
    async with bench.store() as store:
        ballot = await new_ballot(store)
        kept = await new_ballot(store)
        assert await vote(store, ballot.left_token, ballot.right_token)
        before = await counters(store)
        async with bench.down():
            for _ in range(3):
                with within(PATIENCE_SECONDS):
                    await raises(Unavailable, new_ballot(store))
        await eventually(lambda: answers(store), PATIENCE_SECONDS, "the store did not recover")
        assert (await counters(store)).votes == before.votes
        assert await vote(store, ballot.left_token, ballot.right_token) is False
        assert await vote(store, kept.left_token, kept.right_token) is True


@needs_server
async def test_a_store_that_was_opened_in_vain_works_once_its_database_is_back(
    bench: Bench,
) -> None:
    """A worker that is restarted meanwhile opens such a store. It cleans, too."""
    store: Store = bench.new_store(bench.connection, bench.url, 2)
    try:
        async with bench.down():
            await raises(Unavailable, store.open())
            with within(PATIENCE_SECONDS):
                await raises(Unavailable, new_ballot(store))
        await eventually(lambda: answers(store), PATIENCE_SECONDS, "the store did not recover")
        async with bench.insider(store) as insider:
            session = (await new_ballot(store)).session
            await insider.age_session(session, SESSION_SECONDS + 1)
            done = functools.partial(forgotten, insider, session)
            await eventually(done, CLEAN_SECONDS, "the session was not cleaned")
    finally:
        await store.close()


async def test_a_hung_database_is_not_waited_for(bench: Bench) -> None:
    async with bench.store(2) as store:
        await new_ballot(store)
        with bench.frozen(), page_timeout(store, 0.5):
            for _ in range(2):
                with within(0.5):
                    pages = [new_ballot(store) for _ in range(8)]
                    results = await asyncio.gather(*pages, return_exceptions=True)
                assert all(isinstance(one, (Unavailable, Busy)) for one in results), results
        await eventually(lambda: answers(store), PATIENCE_SECONDS, "the store did not recover")


async def test_closing_on_a_hung_database_ends(bench: Bench) -> None:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(bench.store(2))
        await asyncio.gather(*[new_ballot(store) for _ in range(4)])
        with bench.frozen(), within(3 * PATIENCE_SECONDS):
            await stack.aclose()


async def test_a_wrong_address_is_said_in_one_line(bench: Bench) -> None:
    scheme = bench.url.partition(":")[0]
    for url in ("nonsense", "http://127.0.0.1:1/x", scheme + "://u:secret@127.0.0.1:port/x"):
        with within(PATIENCE_SECONDS):
            error = await raises(Refused, opened(bench, url))
        assert bench.database.url_variable in str(error), error
        assert "secret" not in str(error)
    kind = Refused if bench.database.embedded else Unavailable
    with within(PATIENCE_SECONDS):
        await raises(kind, opened(bench, scheme + "://u:secret@127.0.0.1:1/x"))


async def test_a_url_that_the_database_does_not_take_is_refused(bench: Bench) -> None:
    """A wrong password, an unknown user or database: said in one line, no secret in it."""
    async with bench.store() as store, bench.insider(store) as insider:
        for what, url in (await insider.refused_urls(bench.url)).items():
            with within(PATIENCE_SECONDS):
                error = await raises(Refused, opened(bench, url))
            assert bench.database.url_variable in str(error), (what, error)
            assert "secret" not in str(error), (what, error)


@needs_server
@needs_loop
async def test_a_connection_lost_while_it_idles_is_seen_without_asking(bench: Bench) -> None:
    async with AsyncExitStack() as stack:
        wire = await stack.enter_async_context(tapped(bench.database, bench.url))
        store: Any = bench.new_store(bench.connection, wire.url, 2)
        driver = store._driver
        connection = await driver.connect()
        try:
            assert driver.is_open(connection)
            await asyncio.sleep(0.1)
            assert driver.is_open(connection)
            await stack.aclose()

            async def seen() -> bool:
                return not driver.is_open(connection)

            await eventually(seen, 0.5, "it takes the connection for open")
        finally:
            await driver.disconnect(connection)


@needs_loop
async def test_cancelling_is_instant_and_silent(bench: Bench) -> None:
    """A hung database cannot be told that nobody waits for its answer."""
    complaints: List[Any] = []
    asyncio.get_event_loop().set_exception_handler(lambda _, one: complaints.append(one))
    async with bench.store(2) as store:
        await new_ballot(store)
        with bench.frozen():
            page = asyncio.ensure_future(new_ballot(store))
            await asyncio.sleep(0.1)
            assert not page.done()
            page.cancel()
            await asyncio.wait([page], timeout=0.3)
            assert page.cancelled()
        await eventually(lambda: answers(store), PATIENCE_SECONDS, "the store did not recover")
    gc.collect()
    assert not complaints


async def test_the_votes_are_read_without_opening_the_site(bench: Bench) -> None:
    async with bench.store() as store:
        ballot = await new_ballot(store)
        before = await votes(bench.database.name, bench.url, bench.plugin.layout)
        assert await vote(store, ballot.left_token, ballot.right_token)
        assert await votes(bench.database.name, bench.url, bench.plugin.layout) == before + 1


async def opened(bench: Bench, url: str) -> None:
    """Open a store there, and close it."""
    async with bench.store(url=url):
        pass
