"""What a database counts itself, so that requests and votes are not taken on the server's word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from race.databases import Databases
from race.errors import CellFailed
from race.load import Sample
from race.pages import TIMEOUT, verify

SECONDS = 5.0
GROUPS, PROBES = 3, 3
OWN_REQUESTS = 1
"""The call that reads the count is in the next one."""

REST_SECONDS = 0.2

POSTGRES_VOTES = "SELECT sum(value) FROM sticker_site.counters WHERE name = 'votes'"


Answer = TypeVar("Answer", int, float)


def per_page(databases: Databases, name: str | None, url: str, page: str) -> float | None:
    """Check the page a few times; database requests for each, None where they are not counted.

    CellFailed when the page is wrong or the database does not answer. Counted for visitors one at
    a time, as under load the requests of pages that the end cuts off would be counted too.
    PostgreSQL counts transactions, and publishes them with a delay of seconds: none there.
    """
    where = databases.url(name) if name == "tarantool" else None
    if where is None:
        verify(url, page)
        return None
    return _ask(name, _tarantool_per_page(where, lambda: verify(url, page)))


def votes(databases: Databases, name: str | None, page: str) -> int | None:
    """Votes in the database; None on a page that takes none and where nobody else counts them.

    Votes that a client posted and did not wait for are still under way: the count is asked until it
    rests, so that none of them is taken for a vote of the next load.
    """
    where = databases.url(name) if name else None
    if name is None or where is None or page != "vote":
        return None
    ask = {"tarantool": _tarantool_votes, "postgres": _postgres_votes}[name]
    deadline = time.monotonic() + SECONDS
    count, before = _ask(name, ask(where)), -1
    while count != before:
        if time.monotonic() > deadline:
            raise CellFailed("votes were still counted when nobody voted any more")
        time.sleep(REST_SECONDS)
        count, before = _ask(name, ask(where)), count
    return count


def check_votes(before: int | None, after: int | None, sample: Sample) -> None:
    """Acknowledged votes against the database's own change; CellFailed when they do not agree.

    A vote whose answer was cut off may or may not have been counted.
    """
    if sample.votes is None or before is None or after is None:
        return
    change = after - before
    sure = sample.votes["acknowledged"]
    most = sure + sample.votes["unanswered"]
    if not sure <= change <= most:
        raise CellFailed(f"{sure} to {most} votes were acknowledged, the database counted {change}")


def _ask(name: str | None, question: Coroutine[Any, Any, Answer]) -> Answer:
    try:
        return asyncio.run(asyncio.wait_for(question, SECONDS + TIMEOUT))
    except CellFailed:
        raise
    except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
        raise CellFailed(f"{name} did not answer: {type(error).__name__} {error}") from None


@asynccontextmanager
async def _tarantool(url: str) -> AsyncIterator[Any]:
    import asynctnt

    parts = urlsplit(url)
    host, port = (parts.hostname, parts.port) if parts.hostname else ("unix/", unquote(parts.path))
    connection = asynctnt.Connection(
        host=host, port=port, username=parts.username, password=parts.password,
        reconnect_timeout=0, connect_timeout=SECONDS, request_timeout=SECONDS,
        fetch_schema=False, auto_refetch_schema=False,
    )  # fmt: skip
    await connection.connect()
    try:
        yield connection
    finally:
        await connection.disconnect()


async def _tarantool_per_page(url: str, ask_page: Callable[[], None]) -> float:
    """The least of some counts: what a server asks in the background can only add."""
    async with _tarantool(url) as connection:
        counts = [await _requests(connection)]
        for _ in range(GROUPS):
            for _ in range(PROBES):
                await asyncio.to_thread(ask_page)
            counts.append(await _requests(connection))
    return (min(after - before for before, after in pairwise(counts)) - OWN_REQUESTS) / PROBES


async def _requests(connection: Any) -> int:
    return int((await connection.call("site_requests"))[0][0])


async def _tarantool_votes(url: str) -> int:
    async with _tarantool(url) as connection:
        return int((await connection.call("site_statistics"))[0][-1])


async def _postgres_votes(url: str) -> int:
    import asyncpg

    connection = await asyncpg.connect(url, timeout=SECONDS)
    try:
        return int(await connection.fetchval(POSTGRES_VOTES))
    finally:
        await connection.close()
