"""A proxy between a store and its database that counts what is asked on the wire."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import AsyncIterator, Callable, Dict, Iterator, List, Tuple, Union
from urllib.parse import parse_qs, urlsplit

Frame = Tuple[str, bytes]
Parser = Callable[[bytearray], Iterator[Frame]]

# https://www.postgresql.org/docs/current/protocol-message-formats.html
POSTGRES_REQUESTS = {"E": "Execute", "Q": "Query", "F": "FunctionCall"}
# https://www.tarantool.io/en/doc/latest/reference/internals/box_protocol/
IPROTO_REQUESTS = {
    1: "SELECT",
    2: "INSERT",
    3: "REPLACE",
    4: "UPDATE",
    5: "DELETE",
    6: "CALL_16",
    8: "EVAL",
    9: "UPSERT",
    10: "CALL",
    11: "EXECUTE",
}
UINT_BYTES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}


def postgres_frames(buffer: bytearray) -> Iterator[Frame]:
    """Messages of the client after its start-up message, taken out of the buffer."""
    while len(buffer) >= 5:
        length = int.from_bytes(buffer[1:5], "big") + 1
        if buffer[0] == 0:
            # The start-up message has no type: its own length is what begins with a zero.
            length = int.from_bytes(buffer[:4], "big")
        if len(buffer) < length:
            return
        frame = bytes(buffer[:length])
        del buffer[:length]
        yield POSTGRES_REQUESTS.get(chr(frame[0]), ""), frame


def tarantool_frames(buffer: bytearray) -> Iterator[Frame]:
    """Requests of the client, taken out of the buffer."""
    while buffer:
        if len(buffer) < 1 + UINT_BYTES.get(buffer[0], 0):
            return
        length, start = uint(buffer, 0)
        if len(buffer) < start + length:
            return
        frame = bytes(buffer[start : start + length])
        del buffer[: start + length]
        yield IPROTO_REQUESTS.get(header(frame).get(0, -1), ""), frame


def uint(data: Union[bytes, bytearray], at: int) -> Tuple[int, int]:
    """An unsigned number in MessagePack, and where it ends."""
    size = UINT_BYTES.get(data[at], 0)
    if size == 0:
        assert data[at] < 0x80, hex(data[at])
        return data[at], at + 1
    return int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size


def header(frame: bytes) -> Dict[int, int]:
    """The header of a request: a small map of numbers."""
    assert frame[0] & 0xF0 == 0x80, hex(frame[0])
    at, fields = 1, {}
    for _ in range(frame[0] & 0x0F):
        key, at = uint(frame, at)
        fields[key], at = uint(frame, at)
    return fields


class Tap:
    """What one connection sent since the count began."""

    def __init__(self) -> None:
        self.requests: List[str] = []
        self.new = True
        # The connection that cleans in the background says so in its first statement.
        self.cleans = False

    def note(self, name: str, frame: bytes) -> None:
        """One message of the client."""
        self.cleans = self.cleans or b"pg_try_advisory_lock" in frame
        if name:
            self.requests.append(name)


class Wire:
    """What went over the proxy's connections."""

    def __init__(self, url: str, target: str, parse: Parser) -> None:
        self.url = url
        self._target = target
        self._parse = parse
        self._taps: List[Tap] = []
        self._tasks: List[asyncio.Task[None]] = []

    def forget(self) -> None:
        """Begin to count anew."""
        for tap in self._taps:
            tap.requests.clear()
            tap.new = False

    def asked(self) -> List[Tap]:
        """The connections on which pages sent requests since the count began."""
        return [tap for tap in self._taps if tap.requests and not tap.cleans]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both ways until one side closes."""
        up_reader, up_writer = await asyncio.open_unix_connection(self._target)
        tap = Tap()
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


@contextlib.asynccontextmanager
async def tapped(url: str) -> AsyncIterator[Wire]:
    """A proxy in front of the database at a URL of a Unix socket."""
    folder = Path(tempfile.mkdtemp(prefix="wire-"))
    parts = urlsplit(url)
    if parts.scheme == "postgresql":
        name = ".s.PGSQL.5432"
        (home,) = parse_qs(parts.query)["host"]
        target, tapped_url = f"{home}/{name}", url.replace(home, str(folder))
        wire = Wire(tapped_url, target, postgres_frames)
    else:
        name = "socket"
        wire = Wire(url.replace(parts.path, f"{folder}/{name}"), parts.path, tarantool_frames)
    server = await asyncio.start_unix_server(wire.serve, str(folder / name))
    try:
        yield wire
    finally:
        server.close()
        await wire.close()
        shutil.rmtree(str(folder))
