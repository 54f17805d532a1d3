"""Requests without an end or beyond every size, and the memory that they cost a server."""

from __future__ import annotations

import contextlib
import gzip
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.support.site_client import FORM
from tests.support.site_server import SiteServer

MIB = 2**20
MOST_GROWTH = 16 * MIB
PATIENCE_SECONDS = 20.0
# What a client pipelines of whose answers it takes a sip now and then.
PIPELINED = 1_900_000
SIP = 400
SIP_SECONDS = 0.3

POST = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\n".encode()
LENGTH = b"Content-Length: 8000000000\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNK = b"%x\r\n%b\r\n" % (64 * 1024, b"a" * 64 * 1024)

# How a request begins, and what follows without an end.
FLOODS: dict[str, tuple[bytes, bytes]] = {
    "body": (POST + LENGTH + b"\r\n", b"a" * MIB),
    "body in chunks": (POST + CHUNKED + b"\r\n", CHUNK * 16),
    "body in tiny chunks": (POST + CHUNKED + b"\r\n", b"1\r\na\r\n" * 50_000),
    "one chunk": (POST + CHUNKED + b"\r\n1dcd65000\r\n", b"a" * MIB),
    "body of a page that takes none": (
        b"GET /ugly HTTP/1.1\r\nHost: x\r\n" + LENGTH + b"\r\n",
        b"a" * MIB,
    ),
    "body of an unknown page": (b"POST /nowhere HTTP/1.1\r\n" + LENGTH + b"\r\n", b"a" * MIB),
    "header": (b"GET /ugly HTTP/1.1\r\nA: ", b"a" * MIB),
    "headers": (b"GET /ugly HTTP/1.1\r\n", b"A: aaaaaaaaaaaaa\r\n" * 50_000),
    "path": (b"GET /", b"a" * MIB),
    "method": (b"", b"a" * MIB),
    "empty lines": (b"", b"\r\n" * 500_000),
}


def flood(server: SiteServer, begin: bytes, more: bytes, size: int) -> int:
    """Send so many bytes, or as many as are taken; return by how many the memory grew."""
    before = forget_peaks(server)
    sent, deadline = 0, time.monotonic() + PATIENCE_SECONDS
    with (
        socket.create_connection(("127.0.0.1", server.port), 5.0) as connection,
        contextlib.suppress(OSError),
    ):
        connection.sendall(begin)
        while sent < size and time.monotonic() < deadline:
            sent += connection.send(more)
    return peak(server) - before


def unread(server: SiteServer, path: str, clients: int, seconds: float) -> Iterator[None]:
    """Pipeline requests on so many connections and read next to nothing; yield at each sip."""
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    text = memoryview(request * (PIPELINED // len(request)))
    with contextlib.ExitStack() as stack:
        left = {}
        for _ in range(clients):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", server.port))
            client.setblocking(False)
            left[client] = text
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            due = time.monotonic() + SIP_SECONDS
            for client in left:
                with contextlib.suppress(OSError):
                    client.recv(SIP)
            while time.monotonic() < due:
                for client, rest in left.items():
                    with contextlib.suppress(OSError):
                        left[client] = rest[client.send(rest) :]
                time.sleep(0.01)
            yield


def refused_at_once(server: SiteServer, path: str, seconds: float = 1.5) -> bool:
    """Return whether a body of 8 GB is refused (413) when it is announced, before any of it."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\n".encode()
    with socket.create_connection(("127.0.0.1", server.port), seconds) as connection:
        connection.sendall(head + LENGTH + b"\r\n")
        answer = connection.recv(65536)
    return re.match(rb"HTTP/1\.[01] 413 ", answer) is not None


def packed() -> bytes:
    """Return a body of 40 KB that unpacks to 40 MB."""
    return gzip.compress(b"vote_plus=" + b"a" * 40 * MIB)


def peak(server: SiteServer) -> int:
    """Return the most memory that the server's processes had since `forget_peaks`, in bytes."""
    return _memory(server, "VmHWM")


def forget_peaks(server: SiteServer) -> int:
    """Begin to look for peaks anew; return the memory of the server's processes now, in bytes."""
    for process in _processes(server):
        Path(f"/proc/{process.pid}/clear_refs").write_text("5")
    return _memory(server, "VmRSS")


def _memory(server: SiteServer, name: str) -> int:
    found = 0
    for process in _processes(server):
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        match = re.search(rf"{name}:\s+(\d+) kB", status)
        assert match
        found += 1024 * int(match[1])
    return found


def _processes(server: SiteServer) -> list[psutil.Process]:
    return [psutil.Process(server.pid), *server.tree()]
