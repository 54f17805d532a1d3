"""Tarantool's own: the layout on a fresh instance, and its limits of number and age."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from asynctnt.exceptions import TarantoolDatabaseError

from data_interface.reports.rows import Vote
from data_interface.store import ID_LENGTH, NotFound, Sticker
from data_interface.tarantool import asynctnt_store, procedure_store
from data_interface.tarantool.asynctnt_store import open_store
from data_interface.tarantool.layout import LATE, SESSIONS, TOKENS
from databases import find
from databases.database import Running
from tests.live.databases.on_tarantool import SECONDS, connected, need_tarantool, opened, run
from tests.support.stores.bench import NOW, ask, raises

SOMEBODY = (None, "192.0.2.1", "a browser")
LIMITS = {
    "tokens": 100_000,
    "token_seconds": 600,
    "sessions": 100_000,
    "session_seconds": 3600,
    "votes": 50_000,
    "clean_milliseconds": 20,
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Running]]:
    """Starts an instance on the test's own folder; again after a stop, on the same data."""
    need_tarantool()
    started: list[Running] = []

    def starter() -> Running:
        started.append(find("tarantool").start(tmp_path))
        return started[-1]

    yield starter
    for each in started:
        each.stop()


@pytest.fixture
def database(start: Callable[[], Running]) -> Running:
    return start()


async def until(done: Callable[[], Coroutine[Any, Any, bool]], seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not await done():
        assert time.monotonic() < deadline, "not within the time"
        await asyncio.sleep(0.02)


async def keep(link: Any, number: int, expires: float) -> list[str]:
    """Insert as many tokens, one after another."""
    tokens = [secrets.token_hex(16) for _ in range(number)]
    for token in tokens:
        await link.insert(TOKENS, [token, 1, token, int(expires)])
    return tokens


async def kept(link: Any, space: int) -> list[str]:
    return [row[0] for row in await link.select(space, [])]


def test_a_fresh_instance_is_loaded_once_and_keeps_everything(start: Callable[[], Running]) -> None:
    async def first(url: str) -> None:
        async with opened(url) as one, opened(url, "pool") as two:
            async with one.acquire() as data:
                _, _, plus, _, minus = await data.ballot(SOMEBODY)
            async with two.acquire() as data:
                assert await data.cast_vote(plus, minus, 0, NOW)
                assert (await data.statistics()) == (540, 16_200, 1, 1, 1)
                await data.create_pack("A pack of ours")

    async def second(url: str) -> None:
        async with opened(url) as store, store.acquire() as data:
            assert (await data.statistics()) == (541, 16_200, 1, 1, 1)
            _, shown = await data.podium(SOMEBODY, 9, True)
            ratings = [Sticker(*row).rating for row in shown]
            assert ratings == sorted(ratings, reverse=True)

    database = start()
    run(first(database.url))
    database.stop()
    run(second(start().url))


async def test_two_servers_that_start_at_once_load_the_stickers_once(database: Running) -> None:
    stores = [open_store("one", database.url, 10) for _ in range(4)]
    await asyncio.gather(*(store.open() for store in stores))
    async with stores[0].acquire() as data:
        assert (await data.statistics())[:2] == (540, 16_200)
    for store in stores:
        await store.close()


@pytest.mark.parametrize("backend", [asynctnt_store, procedure_store])
async def test_a_site_without_two_stickers_has_no_ballot(database: Running, backend: Any) -> None:
    store = backend.open_store("one", database.url, 10)
    await store.open()
    async with connected(database.url) as link:
        for left in (1, 0):
            lua = "for id = 16200, ... + 1, -1 do box.space.stickers:delete(id) end"
            await link.eval(lua, [left])
            await raises(NotFound, ask(store, "ballot", SOMEBODY))
            session, shown = await ask(store, "podium", SOMEBODY, 9, True)
            assert (len(session), len(shown)) == (ID_LENGTH, left)
    await store.close()


async def test_more_than_a_batch_is_deleted_the_oldest_first(database: Running) -> None:
    """The visitors of deleted sessions stay counted."""
    async with connected(database.url) as link:
        now = int(time.time())
        expired = await keep(link, 700, now - 1)
        old = await keep(link, 1500, now + 100)
        new = await keep(link, 300, now + 200)
        for number in range(1200):
            row = [secrets.token_hex(16), "192.0.2.1", "agent", 1, now - 7200 * (number < 100)]
            await link.upsert(SESSIONS, row, [["+", 3, 1]])
        await link.call("site_open", [{**LIMITS, "tokens": 1000, "sessions": 1000}])

        async def bounded() -> bool:
            return len(await kept(link, TOKENS)) == len(await kept(link, SESSIONS)) == 1000

        await until(bounded)
        left = set(await kept(link, TOKENS))
        assert set(new) <= left <= set(old + new)
        assert not left & set(expired)
        assert (await link.call("site_statistics"))[0][2] == 1200


def test_a_report_is_given_up_when_its_time_is_over(database: Running) -> None:
    async def check() -> None:
        async with opened(database.url) as store, connected(database.url) as link:
            async with store.acquire() as data:
                past = [Vote(second, 1, 2, 0) for second in range(20_000)]
                assert await data.remember(past) == len(past)
            for seconds in (0, 0.0001):
                with pytest.raises(TarantoolDatabaseError) as caught:
                    await link.call("site_figures", [seconds, 0, len(past)])
                assert caught.value.code == LATE
            assert (await link.call("site_figures", [SECONDS, 0, len(past)]))[0] == [20_000, 0]

    run(check())
