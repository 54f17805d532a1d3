"""Tarantool's own: the layout on a fresh instance, and its limits of number and age."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from data_interface.store import TOKEN_SECONDS, Sticker
from data_interface.tarantool.asynctnt_store import open_store
from data_interface.tarantool.layout import SESSIONS, TOKENS
from databases import find
from databases.database import Running
from tests.live.databases.on_tarantool import SECONDS, connected, need_tarantool, opened, run
from tests.support.stores.bench import NOW

SOMEBODY = (None, "192.0.2.1", "a browser")
LIMITS = {
    "tokens": 100_000,
    "sessions": 100_000,
    "session_seconds": 3600,
    "votes": 50_000,
    "vote_seconds": 31 * 86_400,
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


async def test_tokens_are_bounded_in_number_and_the_oldest_go(database: Running) -> None:
    async with connected(database.url) as link:
        now = time.time()
        old = await keep(link, 1500, now + 100)
        new = await keep(link, 300, now + 200)
        await link.call("site_open", [{**LIMITS, "tokens": 1000}])

        async def bounded() -> bool:
            return len(await kept(link, TOKENS)) == 1000

        await until(bounded)
        left = set(await kept(link, TOKENS))
        assert left >= set(new)
        assert left <= set(old + new)


async def test_tokens_are_bounded_in_age(database: Running) -> None:
    async with connected(database.url) as link:
        await keep(link, 700, time.time() - 1)
        fresh = await keep(link, 10, time.time() + 100)
        await link.call("site_open", [LIMITS])

        async def clean() -> bool:
            return sorted(await kept(link, TOKENS)) == sorted(fresh)

        await until(clean)


async def test_a_token_lives_as_long_as_ever_where_the_site_s_clock_is_wrong(
    database: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database.url) as store, connected(database.url) as link:
        now = time.time()
        for wrong in (-3600, 3600):
            with monkeypatch.context() as patch:
                patch.setattr(time, "time", lambda wrong=wrong: now + wrong)
                async with store.acquire() as data:
                    _, _, plus, _, minus = await data.ballot(SOMEBODY)
            for token in (plus, minus):
                expires = (await link.select(TOKENS, [token]))[0][3]
                assert abs(expires - now - TOKEN_SECONDS) < SECONDS


async def test_an_expired_token_is_refused_before_it_is_cleaned_away(database: Running) -> None:
    async with opened(database.url) as store, connected(database.url) as link:
        await link.call("site_open", [{**LIMITS, "clean_milliseconds": 3_600_000}])
        # The cleaner looks up its pause once a pause: let the old one pass.
        await asyncio.sleep(1.2)
        for seconds, counts in [(-1, False), (60, True)]:
            plus, minus = secrets.token_hex(16), secrets.token_hex(16)
            for token, mate, sticker in [(plus, minus, 1), (minus, plus, 2)]:
                row = [token, sticker, mate, int(time.time()) + seconds]
                await link.insert(TOKENS, row)
            async with store.acquire() as data:
                assert await data.cast_vote(plus, minus, 0, NOW) is counts


async def test_sessions_are_bounded_and_their_visitors_stay_counted(database: Running) -> None:
    async with connected(database.url) as link:
        now = int(time.time())
        for number in range(1200):
            age = 7200 if number < 100 else 0
            row = [secrets.token_hex(16), "192.0.2.1", "agent", 1, now - age]
            await link.upsert(SESSIONS, row, [["+", 3, 1]])
        await link.call("site_open", [{**LIMITS, "sessions": 1000}])

        async def bounded() -> bool:
            return len(await kept(link, SESSIONS)) == 1000

        await until(bounded)
        assert (await link.call("site_statistics"))[0][2] == 1200
