"""What only a database of its own can do: go away, hang, be somewhere else, be there already."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from data_interface.store import Busy, StoreError, Unavailable
from tests.stores.bench import (
    PATIENCE_SECONDS,
    Bench,
    answers,
    counters,
    eventually,
    new_ballot,
    raises,
    vote,
    within,
)


async def case_opening_again_loads_nothing(bench: Bench) -> None:
    async with bench.store() as store:
        before = await counters(store)
        async with bench.store() as other:
            assert await counters(other) == before


async def case_a_killed_database_comes_back(bench: Bench) -> None:
    """Pages fail quickly while it is away, work within 2 s of its return, and no vote is lost."""
    async with bench.store() as store:
        ballot = await new_ballot(store)
        kept = await new_ballot(store)
        assert await vote(store, ballot.left.token, ballot.right.token)
        before = await counters(store)
        async with bench.down():
            for _ in range(3):
                with within(PATIENCE_SECONDS):
                    await raises(Unavailable, new_ballot(store))
        await eventually(lambda: answers(store), PATIENCE_SECONDS, "the store did not recover")
        assert (await counters(store)).votes == before.votes
        assert await vote(store, ballot.left.token, ballot.right.token) is False
        assert await vote(store, kept.left.token, kept.right.token) is True


async def case_a_hung_database_is_not_waited_for(bench: Bench) -> None:
    async with bench.store(2) as store:
        await new_ballot(store)
        with bench.frozen():
            for _ in range(2):
                with within(PATIENCE_SECONDS):
                    pages = [new_ballot(store) for _ in range(8)]
                    results = await asyncio.gather(*pages, return_exceptions=True)
                assert all(isinstance(one, (Unavailable, Busy)) for one in results), results
        await eventually(lambda: answers(store), PATIENCE_SECONDS, "the store did not recover")


async def case_closing_on_a_hung_database_ends(bench: Bench) -> None:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(bench.store(2))
        await asyncio.gather(*[new_ballot(store) for _ in range(4)])
        with bench.frozen(), within(3 * PATIENCE_SECONDS):
            await stack.aclose()


async def case_a_wrong_address_is_said_in_one_line(bench: Bench) -> None:
    scheme = bench.url.partition(":")[0]
    for url in ("nonsense", "http://127.0.0.1:1/x", scheme + "://u:secret@127.0.0.1:port/x"):
        with within(PATIENCE_SECONDS):
            error = await raises(StoreError, opened(bench, url))
        assert str(bench.plugin.url) in str(error), error
        assert "secret" not in str(error)
    with within(PATIENCE_SECONDS):
        await raises(Unavailable, opened(bench, scheme + "://u:secret@127.0.0.1:1/x"))


async def opened(bench: Bench, url: str) -> None:
    """Open a store there, and close it."""
    async with bench.store(url=url):
        pass
