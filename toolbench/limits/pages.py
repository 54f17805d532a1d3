"""The pages of the limits' server, and the check of what they read and write.

A page does one request to Tarantool, throws the answer away, and answers ``ok``. Runs on CPython
3.7, and without japronto or Tarantool where connections are passed in.
"""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

from data_interface.store import StoreError
from data_interface.tarantool.layout import BY_RATING, DESCENDING, SESSIONS, STICKERS

ROWS = 9
MOST_STICKERS = 1_000_000
SESSION = ["limits" + "0" * 26, "127.0.0.1", "race", 1, 0]
ONE_MORE_VISIT = [["+", 3, 1]]


def pages(blocking: Any, connection: Any) -> list[Any]:
    """Return the four pages: three that read, one that writes."""

    def select_sync(request: Any) -> Any:
        blocking.select(STICKERS, [], index=BY_RATING, limit=ROWS, iterator=DESCENDING)
        return request.Response(text="ok")

    async def select_async(request: Any) -> Any:
        await connection.select(STICKERS, [], index=BY_RATING, limit=ROWS, iterator=DESCENDING)
        return request.Response(text="ok")

    async def select_async_lite(request: Any) -> Any:
        await connection.select(STICKERS, limit=ROWS)
        return request.Response(text="ok")

    async def upsert_async(request: Any) -> Any:
        await connection.upsert(SESSIONS, SESSION, ONE_MORE_VISIT)
        return request.Response(text="ok")

    return [select_sync, select_async, select_async_lite, upsert_async]


def path(page: Any) -> str:
    """Return the path of a page."""
    return f"/{page.__name__.replace('_', '-')}"


class RecordingConnection:
    """A connection that keeps the rows of its last select."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.rows: Any = None

    def select(self, *words: Any, **options: Any) -> Any:
        answer = self._connection.select(*words, **options)
        if not inspect.isawaitable(answer):
            self.rows = answer
            return answer
        return self._recorded(answer)

    def upsert(self, *words: Any) -> Any:
        return self._connection.upsert(*words)

    async def _recorded(self, answer: Any) -> Any:
        self.rows = await answer
        return self.rows


async def check(blocking: Any, connection: Any) -> None:
    """Raise StoreError if a page does not read its nine rows, or does not count its visit.

    The pages that are checked are copies of those that are served, so that the latter need no code
    for this. What they must read is sorted here, from all stickers.
    """
    request = SimpleNamespace(Response=dict)
    one, other = RecordingConnection(blocking), RecordingConnection(connection)
    select_sync, select_async, select_async_lite, upsert_async = pages(one, other)
    every = [tuple(row) for row in await connection.select(STICKERS, limit=MOST_STICKERS)]
    best = sorted(every, key=lambda row: (row[3], row[0]), reverse=True)
    select_sync(request)
    _compare(select_sync, one.rows, best)
    await select_async(request)
    _compare(select_async, other.rows, best)
    await select_async_lite(request)
    _compare(select_async_lite, other.rows, sorted(every))
    await upsert_async(request)  # makes the session if there is none
    before = await _visits(connection)
    await upsert_async(request)
    counted = await _visits(connection) - before
    if counted != 1:
        raise StoreError(f"{path(upsert_async)} counts {counted} visits, not 1")


def _compare(page: Any, found: Any, wanted: list[Any]) -> None:
    rows = [tuple(row) for row in found]
    if len(rows) != ROWS:
        raise StoreError(f"{path(page)} reads {len(rows)} rows, not {ROWS}")
    if rows != wanted[:ROWS]:
        raise StoreError(f"{path(page)} reads other rows than it should")


async def _visits(connection: Any) -> int:
    # Whoever else uses the database may have removed the session.
    rows = await connection.select(SESSIONS, SESSION[:1])
    return int(rows[0][3]) if rows else 0
