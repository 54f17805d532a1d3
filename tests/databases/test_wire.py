"""The relay that counts requests to a database: its addresses, and frames cut anywhere."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

from databases.wire import Address, address, moved, postgres_frames, tapped, tarantool_frames

START_UP = b"\x00\x00\x00\x08\x00\x03\x00\x00"
QUERY = b"Q\x00\x00\x00\x0dSELECT 1\x00"
SYNC = b"S\x00\x00\x00\x04"
# {type: SELECT, sync: 1} {}
SELECT = b"\xce\x00\x00\x00\x06\x82\x00\x01\x01\x01\x80"
PING = b"\xce\x00\x00\x00\x06\x82\x00\x40\x01\x01\x80"


@pytest.mark.parametrize(
    ("url", "found", "here", "through"),
    [
        ("postgresql://me@/db?host=/run/a%20b", "/run/a b/.s.PGSQL.5432", "/t/.s.PGSQL.5432",
         "postgresql://me@/db?host=%2Ft"),
        ("postgresql://me:pw@db:5433/x?sslmode=disable", ("db", 5433), ("127.0.0.1", 9),
         "postgresql://me:pw@127.0.0.1:9/x?sslmode=disable"),
        ("tarantool://me:pw@db:3301", ("db", 3301), ("127.0.0.1", 9),
         "tarantool://me:pw@127.0.0.1:9"),
        ("tarantool:///run/a.sock", "/run/a.sock", "/t/a.sock", "tarantool:///t/a.sock"),
    ],
)  # fmt: skip
def test_a_url_leads_through_the_relay(
    url: str, found: Address, here: Address, through: str
) -> None:
    assert address(url) == found
    assert moved(url, here) == through


def test_frames_are_found_however_they_are_cut() -> None:
    for parse, stream, names in (
        (postgres_frames, START_UP + QUERY + SYNC + QUERY, ["", "Query", "", "Query"]),
        (tarantool_frames, SELECT + PING + SELECT, ["SELECT", "", "SELECT"]),
    ):
        for size in (1, 3, 7, len(stream)):
            buffer = bytearray()
            seen = []
            for begin in range(0, len(stream), size):
                buffer += stream[begin : begin + size]
                seen += [name for name, _ in parse(buffer)]
            assert seen == names
            assert not buffer


def test_what_goes_over_tcp_is_counted_and_passed_on() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)
        writer.close()

    async def check() -> None:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        async with tapped(f"postgresql://{host}:{port}/x") as wire:
            parts = urlsplit(wire.url)
            assert (parts.hostname, parts.port != port) == ("127.0.0.1", True)
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            writer.write(START_UP + QUERY)
            assert await reader.readexactly(len(START_UP + QUERY)) == START_UP + QUERY
            assert [tap.requests for tap in wire.asked()] == [["Query"]]
            wire.forget()
            assert wire.asked() == []
            writer.close()
        server.close()

    asyncio.run(asyncio.wait_for(check(), 10.0))
