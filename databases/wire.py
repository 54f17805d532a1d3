"""A relay in front of a database that counts what is asked on the wire.

Written for every interpreter of the project: the tests of the stores run it on CPython 3.7, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import AsyncIterator, Callable, Dict, Iterator, List, Tuple, Union
from urllib.parse import SplitResult, parse_qs, unquote, urlencode, urlsplit

Frame = Tuple[str, bytes]
Address = Union[str, Tuple[str, int]]
"""The path of a Unix socket, or host and port."""
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
        if data[at] >= 0x80:
            raise ValueError(f"no unsigned number in MessagePack: {data[at]:#x}")
        return data[at], at + 1
    return int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size


def header(frame: bytes) -> Dict[int, int]:
    """The header of a request: a small map of numbers."""
    if frame[0] & 0xF0 != 0x80:
        raise ValueError(f"no request to Tarantool begins with {frame[0]:#x}")
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
    """What went over the relay's connections."""

    def __init__(self, target: Address, parse: Parser) -> None:
        self.url = ""
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
        try:
            up_reader, up_writer = await connect(self._target)
        except OSError:
            writer.close()
            return
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


async def connect(target: Address) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to an address; OSError when nobody listens there."""
    if isinstance(target, str):
        return await asyncio.open_unix_connection(target)
    return await asyncio.open_connection(*target)


def address(url: str) -> Address:
    """Where the database at a URL listens; PostgreSQL names its socket's folder in the query."""
    parts = urlsplit(url)
    if parts.hostname:
        return parts.hostname, parts.port or 5432
    folder = parse_qs(parts.query).get("host")
    return f"{folder[0]}/.s.PGSQL.{parts.port or 5432}" if folder else unquote(parts.path)


def moved(url: str, here: Address) -> str:
    """The same URL with another address of the same kind."""
    parts = urlsplit(url)
    if not isinstance(here, str):
        user, at, _ = parts.netloc.rpartition("@")
        return _url(parts._replace(netloc=f"{user}{at}{here[0]}:{here[1]}"))
    query = parse_qs(parts.query)
    if "host" not in query:
        return _url(parts._replace(path=here))
    query["host"] = [str(Path(here).parent)]
    return _url(parts._replace(query=urlencode(query, doseq=True)))


def _url(parts: SplitResult) -> str:
    """Not `geturl`, which leaves the slashes of an empty host out."""
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}{query}"


@contextlib.asynccontextmanager
async def tapped(url: str) -> AsyncIterator[Wire]:
    """A relay in front of the database at a URL; the wire's own URL leads through it.

    It listens as the database does, on a Unix socket or on 127.0.0.1. TLS passes, uncounted.
    """
    postgres = urlsplit(url).scheme.startswith("postgres")
    target = address(url)
    wire = Wire(target, postgres_frames if postgres else tarantool_frames)
    folder = tempfile.mkdtemp(prefix="wire-")
    here: Address = f"{folder}/{Path(target).name}" if isinstance(target, str) else ("127.0.0.1", 0)
    if isinstance(here, str):
        server = await asyncio.start_unix_server(wire.serve, here)
    else:
        server = await asyncio.start_server(wire.serve, *here)
        here = server.sockets[0].getsockname()
    wire.url = moved(url, here)
    try:
        yield wire
    finally:
        server.close()
        await wire.close()
        shutil.rmtree(folder)
