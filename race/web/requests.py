"""Requests to a database for each page, counted on the wire between it and the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from data_interface import HOUSEKEEPING
from databases import find
from databases.database import Database
from databases.wire import Wire, tapped
from race.saved.model import Figures
from race.web.ask import ask
from race.web.databases import Databases
from race.web.pages import PAGES, verify
from race.web.servers import Server

WIRE_SECONDS = 90.0
"""A server starts in at most 30 s, and has a few pages to answer."""
PROBES = 3

REQUESTS = "database_requests"
"""The page's own."""
UPKEEP = "database_upkeep"
"""By the driver about its connection: the schema that it fetches as it connects, a pool's reset."""

Start = Callable[[Mapping[str, str]], Server]


def per_page(
    databases: Databases, name: str | None, start: Start, pages: Iterable[str]
) -> dict[str, Figures]:
    """Requests to a contender's database for each page: REQUESTS, and UPKEEP where there is any.

    `start` starts the contender's server with more environment variables. The least of a few
    counts, for one new visitor at a time; a page is missing where nothing can be seen (TLS).
    CellFailed when the server does not start, a page is wrong or the database does not answer.
    """
    where = databases.url(name) if name else None
    if name is None or where is None:
        return {}
    return ask(name, _wired(find(name), where, start, pages), WIRE_SECONDS)


async def _wired(
    database: Database, url: str, start: Start, pages: Iterable[str]
) -> dict[str, Figures]:
    async with tapped(database, url, HOUSEKEEPING) as wire:
        server = await asyncio.to_thread(start, {database.url_variable: wire.url})
        try:
            counts = {page: await _count(wire, server.url, page) for page in pages}
        finally:
            # In a thread: the server says goodbye to its database, through the wire.
            await asyncio.to_thread(server.child.end)
    return {page: count for page, count in counts.items() if count is not None}


async def _count(wire: Wire, url: str, page: str) -> Figures | None:
    counts = []
    for _ in range(1 + PROBES):
        wire.forget()
        await asyncio.to_thread(verify, url, page)
        taps = wire.asked()
        own = sum(len(tap.requests) for tap in taps)
        counts.append((own, sum(tap.upkeep for tap in taps)))
    # The first page of a server may ask what is asked only once.
    own, upkeep = min(counts[1:])
    if not own and PAGES[page].queries:
        return None
    return {REQUESTS: float(own), **({UPKEEP: float(upkeep)} if upkeep else {})}
