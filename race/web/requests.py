"""Counts a page's requests to the database, on the wire between it and the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from data_interface import HOUSEKEEPING
from databases import find
from databases.database import Database
from databases.wire import Wire, tapped
from race.saved.model import Figures
from race.timeouts import TIMEOUTS
from race.web.databases import Databases, ask, has_server
from race.web.pages import PAGES, verify
from race.web.servers import Server

PROBES = 3
NEAR = "127.0.0.1"

REQUESTS = "database_requests"
"""Requests of the page itself."""
UPKEEP = "database_upkeep"
"""Requests of the driver about its connection: the schema, a pool's reset."""

Start = Callable[[Mapping[str, str]], Server]


def per_page(
    databases: Databases,
    name: str | None,
    start: Start,
    pages: Iterable[str],
    host: str = NEAR,
) -> dict[str, Figures]:
    """Return requests to a contender's database by page: REQUESTS, and UPKEEP if there is any.

    `start` starts the contender's server with more environment variables, on a machine that reaches
    this one at the address `host`. A count is the least of
    a few, for one new visitor at a time; a page is left out if nothing can be seen (TLS), and
    all pages if the database has no server.
    CellFailed if the server does not start, a page is wrong or the database does not answer.
    """
    where = databases.url(name) if has_server(name) else None
    if name is None or where is None:
        return {}
    return ask(name, _wired(find(name), where, start, pages, host), TIMEOUTS.wire)


async def _wired(
    database: Database, url: str, start: Start, pages: Iterable[str], host: str
) -> dict[str, Figures]:
    async with tapped(database, url, HOUSEKEEPING, host) as wire:
        server = await asyncio.to_thread(start, {database.url_variable: wire.url})
        try:
            counts = {page: await _count(wire, server.url, page) for page in pages}
        finally:
            # In a thread, as the server disconnects from its database through the wire.
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
    # The first page of a server may send requests that are sent only once.
    own, upkeep = min(counts[1:])
    if not own and PAGES[page].queries:
        return None
    return {REQUESTS: float(own), **({UPKEEP: float(upkeep)} if upkeep else {})}
