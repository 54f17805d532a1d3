"""Requests to a database and votes in it, counted there and not taken on the server's word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from databases.wire import Wire, tapped
from race.errors import CellFailed
from race.web.databases import URLS, Databases
from race.web.load import Sample
from race.web.pages import PAGES, verify
from race.web.servers import Server

SECONDS = 5.0
WIRE_SECONDS = 90.0
"""A server starts in at most 30 s, and has a few pages to answer."""
PROBES = 3
REST_SECONDS = 0.2

POSTGRES_VOTES = "SELECT sum(value) FROM sticker_site.counters WHERE name = 'votes'"


Answer = TypeVar("Answer")
Start = Callable[[Mapping[str, str]], Server]


def per_page(
    databases: Databases, name: str | None, start: Start, pages: Iterable[str]
) -> dict[str, float]:
    """Requests to a contender's database for each page, seen on the wire between the two.

    `start` starts the contender's server with more environment variables. The least of a few
    counts, for one new visitor at a time; a page is missing where nothing can be seen (TLS).
    CellFailed when the server does not start, a page is wrong or the database does not answer.
    """
    where = databases.url(name) if name else None
    if name is None or where is None:
        return {}
    return _ask(name, _wired(where, lambda url: start({URLS[name]: url}), pages), WIRE_SECONDS)


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


def _ask(name: str, question: Coroutine[Any, Any, Answer], seconds: float = SECONDS) -> Answer:
    try:
        return asyncio.run(asyncio.wait_for(question, seconds))
    except CellFailed:
        raise
    except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
        raise CellFailed(f"{name} did not answer: {type(error).__name__} {error}") from None


async def _wired(
    url: str, start: Callable[[str], Server], pages: Iterable[str]
) -> dict[str, float]:
    async with tapped(url) as wire:
        server = await asyncio.to_thread(start, wire.url)
        try:
            counts = {page: await _count(wire, server.url, page) for page in pages}
        finally:
            # In a thread: the server says goodbye to its database, through the wire.
            await asyncio.to_thread(server.child.end)
    return {page: count for page, count in counts.items() if count is not None}


async def _count(wire: Wire, url: str, page: str) -> float | None:
    counts = []
    for _ in range(1 + PROBES):
        wire.forget()
        await asyncio.to_thread(verify, url, page)
        counts.append(sum(len(tap.requests) for tap in wire.asked()))
    # The first page of a server may ask what is asked only once.
    least = min(counts[1:])
    return float(least) if least or not PAGES[page].queries else None


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
