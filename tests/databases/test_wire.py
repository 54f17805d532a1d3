"""The relay that counts requests to a database: its addresses, and frames cut anywhere."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from databases import find
from databases.database import UPKEEP
from databases.wire import tapped

START_UP = b"\x00\x00\x00\x08\x00\x03\x00\x00"
QUERY = b"Q\x00\x00\x00\x0dSELECT 1\x00"
RESET_QUERY = b"Q\x00\x00\x00\x1aCLOSE ALL;\nRESET ALL;\x00"
SYNC = b"S\x00\x00\x00\x04"
# {type: SELECT, sync: 1} {}
SELECT = b"\xce\x00\x00\x00\x06\x82\x00\x01\x01\x01\x80"
# {type: SELECT, sync: 1} {space: _vspace}
SCHEMA = b"\xce\x00\x00\x00\x0a\x82\x00\x01\x01\x01\x81\x10\xcd\x01\x19"
PING = b"\xce\x00\x00\x00\x06\x82\x00\x40\x01\x01\x80"
# What MariaDB's clients send: length, number, command, rest.
GREETED = b"\x06\x00\x00\x01\x0d\xa2\xbf\x01me"
MYSQL_QUERY = b"\x09\x00\x00\x00\x03SELECT 1"
AUTOCOMMIT = b"\x11\x00\x00\x00\x03SET AUTOCOMMIT=1"
MYSQL_PING = b"\x01\x00\x00\x00\x0e"
MYSQL_RESET = b"\x01\x00\x00\x00\x1f"
PREPARE = b"\x09\x00\x00\x00\x16SELECT ?"
EXECUTE = b"\x05\x00\x00\x00\x17\x01\x00\x00\x00"
# The rest of a request of 16 MB has another number, and may be empty.
REST = b"\x04\x00\x00\x01\x03abc\x00\x00\x00\x02"
MYSQL_STREAM = GREETED + MYSQL_QUERY + AUTOCOMMIT + MYSQL_PING + MYSQL_RESET + PREPARE + EXECUTE


def test_frames_are_found_however_they_are_cut() -> None:
    for parse, stream, names in (
        (
            find("postgres").requests,
            START_UP + QUERY + SYNC + RESET_QUERY,
            ["", "Query", "", UPKEEP],
        ),
        (
            find("tarantool").requests,
            SELECT + PING + SCHEMA + SELECT,
            ["SELECT", "", UPKEEP, "SELECT"],
        ),
        (
            find("mysql").requests,
            MYSQL_STREAM + REST,
            ["", "Query", UPKEEP, "", UPKEEP, UPKEEP, "Execute", "", ""],
        ),
    ):
        for size in (1, 3, 7, len(stream)):
            buffer = bytearray()
            seen = []
            for begin in range(0, len(stream), size):
                buffer += stream[begin : begin + size]
                seen += [name for name, _ in parse(buffer)]
            assert seen == names
            assert not buffer


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data)
    writer.close()


def test_what_goes_over_tcp_is_counted_and_passed_on() -> None:
    async def check() -> None:
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

    asyncio.run(asyncio.wait_for(check(), 10.0))


def test_the_relay_knows_the_port_of_each_database() -> None:
    async def check() -> None:
        async with tapped(find("tarantool"), "tarantool://site@127.0.0.1") as wire:
            assert wire._target.port == 3301
            assert find("tarantool").address(wire.url).user == "site"

    asyncio.run(asyncio.wait_for(check(), 10.0))


def test_who_is_background_is_not_counted() -> None:
    async def check() -> None:
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

    asyncio.run(asyncio.wait_for(check(), 10.0))
