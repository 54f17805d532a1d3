"""A page is cancelled while asyncpg's pool connects: the attempt ends by itself."""

from __future__ import annotations

import asyncio
from typing import Any, List

import pytest

from data_interface.postgres import asyncpg_store
from data_interface.postgres.asyncpg_store import AsyncpgPool


class Library:
    """asyncpg's pool, which connects for each page until it may end."""

    def __init__(self) -> None:
        self.may_end = asyncio.Event()
        self.cancelled = 0
        self.released: List[Any] = []

    def get_idle_size(self) -> int:
        return 0

    async def acquire(self) -> Any:
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return "connection"

    async def release(self, raw: Any) -> None:
        self.released.append(raw)


@pytest.fixture(autouse=True)
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """asyncpg is a version that leaves errors when its connect is cancelled."""
    monkeypatch.setattr(asyncpg_store, "LEAVES_ERRORS", True)


async def cancelled_pages(library: Library, number: int) -> None:
    """Cancel pages that wait for a connection, as clients that leave do; a stop does it twice."""
    unused: Any = None
    pool = AsyncpgPool(unused, number)
    pool._pool = library
    pages = [asyncio.ensure_future(pool.acquire()) for _ in range(number)]
    await turns(3)
    for page in [*pages, *pages]:
        page.cancel()
        await turns(3)
    assert all(page.cancelled() for page in pages)


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_the_connection_goes_back_to_the_pool() -> None:
    library = Library()
    await cancelled_pages(library, 2)
    assert library.cancelled == 0
    library.may_end.set()
    await turns(5)
    assert library.released == ["connection"] * 2


async def test_too_many_attempts_are_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncpg_store, "MOST_ATTEMPTS", 2)
    library = Library()
    await cancelled_pages(library, 5)
    assert library.cancelled == 3
    library.may_end.set()
    await turns(5)
    assert library.released == ["connection"] * 2
