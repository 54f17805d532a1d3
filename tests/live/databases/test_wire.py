"""The relay that counts requests to a database."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

from data_interface import HOUSEKEEPING
from data_interface.store import Store
from databases import find
from databases.wire import Wire, tapped
from tests.live.databases.on_sql import opened
from tests.live.databases.test_postgres import new_database
from tests.live.stores.test_wire import PAGES, Page, asked_by

DATABASE = "postgres"
START_UP = b"\x00\x00\x00\x08\x00\x03\x00\x00"
QUERY = b"Q\x00\x00\x00\x0dSELECT 1\x00"
RESET_QUERY = b"Q\x00\x00\x00\x1aCLOSE ALL;\nRESET ALL;\x00"


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data)
    writer.close()


async def test_what_goes_over_tcp_is_counted_and_passed_on() -> None:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with tapped(find("postgres"), f"postgresql://{host}:{port}/x") as wire:
        parts = urlsplit(wire.url)
        assert (parts.hostname, parts.port != port) == ("127.0.0.1", True)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(START_UP + QUERY)
        assert await reader.readexactly(len(START_UP + QUERY)) == START_UP + QUERY
        assert [tap.requests for tap in wire.asked()] == [["Query"]]
        assert [tap.upkeep for tap in wire.asked()] == [0]
        writer.write(RESET_QUERY)
        assert await reader.readexactly(len(RESET_QUERY)) == RESET_QUERY
        assert [(tap.requests, tap.upkeep) for tap in wire.asked()] == [(["Query"], 1)]
        wire.forget()
        assert wire.asked() == []
        writer.write(QUERY)
        assert await reader.readexactly(len(QUERY)) == QUERY
        assert [(tap.requests, tap.upkeep) for tap in wire.asked()] == [(["Query"], 0)]
        writer.close()
    server.close()


async def test_the_relay_knows_the_port_of_each_database() -> None:
    async with tapped(find("tarantool"), "tarantool://site@127.0.0.1") as wire:
        assert wire._target.port == 3301
        assert find("tarantool").address(wire.url).user == "site"


async def test_who_is_background_is_not_counted() -> None:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    url = f"postgresql://127.0.0.1:{port}/x"
    async with tapped(find("postgres"), url, "the-cleaner") as wire:
        where = find("postgres").address(wire.url)
        writers = []
        for name in (b"the-server", b"the-cleaner"):
            _, writer = await asyncio.open_connection(where.host, where.port)
            begin = name + START_UP[4:]
            writer.write((len(begin) + 4).to_bytes(4, "big") + begin + QUERY)
            writers.append(writer)
        await asyncio.sleep(0.2)
        assert [tap.is_background for tap in wire.asked()] == [False]
        for writer in writers:
            writer.close()
    server.close()


# In the order of PAGES: Index, Good and Bad, each for a new and a returning visitor, and a vote.
ROUND_TRIPS = {
    "postgres": [9, 8, 3, 2, 3, 2, 1],
    "psycopg": [9, 8, 3, 2, 3, 2, 1],
    "psycopgpipeline": [2, 2, 2, 1, 2, 1, 1],
    "postgresfunc": [1, 1, 1, 1, 1, 1, 1],
}


@pytest.mark.parametrize("backend", ROUND_TRIPS)
async def test_the_round_trips_of_a_page(backend: str, server: str) -> None:
    pages = [page for _, page in PAGES.values()][: len(ROUND_TRIPS[backend])]
    found = find(DATABASE)
    async with (
        new_database(server) as url,
        tapped(found, url, HOUSEKEEPING) as wire,
        opened(backend, wire.url, "one") as store,
    ):
        # Drivers prepare a statement at its first or sixth use, which may take a round trip.
        for _ in range(6):
            for page in pages:
                await asked_by(wire, store, page)
        counts = [await round_trips(wire, store, page) for page in pages]
        assert counts == ROUND_TRIPS[backend]


async def round_trips(wire: Wire, store: Store, page: Page) -> int:
    """Return how often a page waited for the database, on the one connection that it uses."""
    (tap,) = await asked_by(wire, store, page)
    return tap.round_trips
