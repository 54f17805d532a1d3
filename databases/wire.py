"""A relay in front of a database that counts the requests on the wire.

``Database.requests`` tells which messages are requests.
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
    """The requests of one connection since the count began."""

    def __init__(self, housekeeping: bytes) -> None:
        self.requests: List[str] = []
        # The number of requests that the driver sent for the connection, not for a page.
        self.upkeep = 0
        # How often the client sent something after the database had; what it sends meanwhile goes
        # with that.
        self.round_trips = 0
        self.answered = True
        self.new = True
        # Whether the connection does not serve pages: a message contained the name of such ones.
        self.is_background = False
        self._housekeeping = housekeeping

    def note_sent(self) -> None:
        """Count a round trip if the database has answered what was sent before."""
        self.round_trips += self.answered
        self.answered = False

    def note(self, name: str, frame: bytes) -> None:
        """Count one message of the client."""
        if self._housekeeping and self._housekeeping in frame:
            self.is_background = True
        if name == UPKEEP:
            self.upkeep += 1
        elif name:
            self.requests.append(name)


class Wire:
    """The relay's connections and their requests."""

    def __init__(self, target: Address, parse: Parser, housekeeping: bytes) -> None:
        self.url = ""
        self._target = target
        self._parse = parse
        self._housekeeping = housekeeping
        self._taps: List[Tap] = []
        self._tasks: List[asyncio.Task[None]] = []

    def forget(self) -> None:
        """Begin the count anew."""
        for tap in self._taps:
            tap.requests.clear()
            tap.upkeep = 0
            tap.round_trips = 0
            tap.new = False

    def asked(self) -> List[Tap]:
        """Return the connections on which pages sent requests since the count began."""
        return [tap for tap in self._taps if tap.requests and not tap.is_background]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay in both directions until one side closes."""
        try:
            up_reader, up_writer = await connect(self._target)
        except OSError:
            writer.close()
            return
        tap = Tap(self._housekeeping)
        self._taps.append(tap)
        directions = [
            asyncio.ensure_future(self._up(reader, up_writer, tap)),
            asyncio.ensure_future(down(up_reader, writer, tap)),
        ]
        self._tasks += directions
        await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
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
            tap.note_sent()
            buffer += data
            for name, frame in self._parse(buffer):
                tap.note(name, frame)
            writer.write(data)

    async def close(self) -> None:
        """Close every connection."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)


async def down(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tap: Tap) -> None:
    """Relay what the database sends until it ends."""
    with contextlib.suppress(ConnectionError):
        while True:
            data = await reader.read(2**16)
            if not data:
                return
            tap.answered = True
            writer.write(data)


async def connect(target: Address) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return a connection to an address. Raise OSError if nobody listens there."""
    if target.path is not None:
        return await asyncio.open_unix_connection(target.path)
    return await asyncio.open_connection(target.host, target.port)


@contextlib.asynccontextmanager
async def tapped(
    database: Database, url: str, housekeeping: str = "", host: str = "127.0.0.1"
) -> AsyncIterator[Wire]:
    """Relay to the database at a URL; the URL of the yielded object leads through the relay.

    It listens on a Unix socket if the database does, else on ``host``. Connections with the text
    ``housekeeping`` in a message do not serve pages and are not counted. TLS is relayed uncounted.
    """
    target = database.address(url)
    wire = Wire(target, database.requests, housekeeping.encode())
    folder = tempfile.mkdtemp(prefix="wire-")
    if target.path is not None:
        here = target._replace(path=f"{folder}/{Path(target.path).name}")
        server = await asyncio.start_unix_server(wire.serve, here.path)
    else:
        server = await asyncio.start_server(wire.serve, host, 0)
        host, port = server.sockets[0].getsockname()[:2]
        here = target._replace(host=host, port=port)
    wire.url = moved(url, here)
    try:
        yield wire
    finally:
        server.close()
        await wire.close()
        shutil.rmtree(folder)
