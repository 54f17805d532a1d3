"""A Tarantool whose memory is nearly full, or full."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import Any

import pytest
from asynctnt.exceptions import TarantoolDatabaseError

from data_interface.store import Busy
from data_interface.tarantool.layout import SESSIONS
from databases.database import DatabaseError, Running
from tests.live.databases.on_tarantool import connected, opened
from tests.live.databases.test_tarantool import LIMITS, SOMEBODY, start, until

__all__ = ["start"]


async def flood(link: Any, rows: int, at_once: int = 500) -> None:
    """Sessions of more than 300 bytes each, as fast as they are taken."""
    for _ in range(rows // at_once):
        now = int(time.time())
        requests = [
            link.insert(SESSIONS, [secrets.token_hex(16), "192.0.2.1", "a" * 200, 1, now])
            for _ in range(at_once)
        ]
        await asyncio.gather(*requests)


async def test_a_flood_stays_within_the_memory(
    start: Callable[[], Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    """150,000 sessions are 50 MB: cleaning has to keep up with the flood."""
    monkeypatch.setenv("TARANTOOL_MEMORY", "32M")
    url = start().url
    async with connected(url) as link:
        await link.call("site_open", [{**LIMITS, "sessions": 10_000}])
        await flood(link, 150_000)
        assert (await link.call("site_statistics"))[0][2] == 150_000


async def test_a_full_memory_is_busy_and_what_is_there_still_works(
    start: Callable[[], Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARANTOOL_MEMORY", "32M")
    url = start().url
    async with opened(url) as store, connected(url) as link:
        await link.call("site_open", [{**LIMITS, "clean_milliseconds": 1_000_000}])
        with pytest.raises(TarantoolDatabaseError):
            await flood(link, 150_000)

        async def full() -> bool:
            try:
                async with store.acquire() as data:
                    await data.ballot(SOMEBODY)
            except Busy:
                return True
            return False

        await until(full)
        async with store.acquire() as data:
            assert (await data.pack(1)).id == 1
        await link.call("site_open", [LIMITS])

        async def works() -> bool:
            return not await full()

        await until(works)


async def test_too_little_memory_for_the_data_is_said_in_one_line(
    start: Callable[[], Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = start()
    async with connected(database.url) as link:
        await link.call("site_open", [LIMITS])
        await flood(link, 100_000)
    database.stop()
    monkeypatch.setenv("TARANTOOL_MEMORY", "32M")
    with pytest.raises(DatabaseError, match=r"^TARANTOOL_MEMORY is too small for the data in \S+$"):
        start()
