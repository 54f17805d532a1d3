"""A relay in front of a database that counts what is asked on the wire.

Which messages are requests is for the database to say (``Database.requests``).
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import AsyncIterator, Callable, Iterator, List, Tuple

from databases.database import UPKEEP, Database, Frame
from runtime.address import Address, moved

Parser = Callable[[bytearray], Iterator[Frame]]


class Tap:
    """What one connection sent since the count began."""

    def __init__(self, housekeeping: bytes) -> None:
        self.requests: List[str] = []
        # By the driver, about the connection: apart from what the page asked.
        self.upkeep = 0
        self.new = True
        # Whether it works in the background: some message of its said so.
        self.keeps_house = False
        self._housekeeping = housekeeping

    def note(self, name: str, frame: bytes) -> None:
        """One message of the client."""
        if self._housekeeping and self._housekeeping in frame:
            self.keeps_house = True
        if name == UPKEEP:
            self.upkeep += 1
        elif name:
            self.requests.append(name)


class Wire:
    """What went over the relay's connections."""

    def __init__(self, target: Address, parse: Parser, housekeeping: bytes) -> None:
        self.url = ""
        self._target = target
        self._parse = parse
        self._housekeeping = housekeeping
        self._taps: List[Tap] = []
        self._tasks: List[asyncio.Task[None]] = []

    def forget(self) -> None:
        """Begin to count anew."""
        for tap in self._taps:
            tap.requests.clear()
            tap.upkeep = 0
            tap.new = False

    def asked(self) -> List[Tap]:
        """The connections on which pages sent requests since the count began."""
        return [tap for tap in self._taps if tap.requests and not tap.keeps_house]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways until one side closes."""
        try:
            up_reader, up_writer = await connect(self._target)
        except OSError:
            writer.close()
            return
        tap = Tap(self._housekeeping)
        self._taps.append(tap)
        ways = [
            asyncio.ensure_future(self._up(reader, up_writer, tap)),
            asyncio.ensure_future(pass_on(up_reader, writer)),
        ]
        self._tasks += ways
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for end in (writer, up_writer):
            end.close()

    async def _up(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tap: Tap
    ) -> None:
        buffer = bytearray()
        while True:
            data = await reader.read(2**16)
            if not data:
                return
            buffer += data
            for name, frame in self._parse(buffer):
                tap.note(name, frame)
            writer.write(data)

    async def close(self) -> None:
        """End what still runs."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One way, until it ends."""
    with contextlib.suppress(ConnectionError):
        while True:
            data = await reader.read(2**16)
            if not data:
                return
            writer.write(data)


async def connect(target: Address) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to an address; OSError when nobody listens there."""
    if target.path is not None:
        return await asyncio.open_unix_connection(target.path)
    return await asyncio.open_connection(target.host, target.port)


@contextlib.asynccontextmanager
async def tapped(database: Database, url: str, housekeeping: str = "") -> AsyncIterator[Wire]:
    """A relay in front of the database at a URL; the wire's own URL leads through it.

    It listens as the database does, on a Unix socket or on 127.0.0.1. ``housekeeping`` is a text
    in a message of those clients that do not work for pages, such as their name: they are not
    counted. TLS passes, uncounted.
    """
    target = database.address(url)
    wire = Wire(target, database.requests, housekeeping.encode())
    folder = tempfile.mkdtemp(prefix="wire-")
    if target.path is not None:
        here = target._replace(path=f"{folder}/{Path(target.path).name}")
        server = await asyncio.start_unix_server(wire.serve, here.path)
    else:
        server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        here = target._replace(host=host, port=port)
    wire.url = moved(url, here)
    try:
        yield wire
    finally:
        server.close()
        await wire.close()
        shutil.rmtree(folder)
