"""Clients that send nothing, or a byte now and then, and never come to an end."""

from __future__ import annotations

import contextlib
import resource
import select
import socket
from collections.abc import Iterator

import psutil

from tests.support.site_server import SiteServer

# A client sends the first part when it connects and the second again and again.
KINDS = [
    (b"", b""),
    (b"GET /ugly HTTP/1.1\r\nHost: x\r\nX: ", b"a"),
    (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", b"a"),
    (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
]


class SlowClients:
    """A number of slow clients of one server, of all kinds."""

    def __init__(self, server: SiteServer, number: int) -> None:
        self._open: dict[int, tuple[socket.socket, bytes]] = {}
        self._poll = select.poll()
        for at in range(number):
            first, more = KINDS[at % len(KINDS)]
            client = socket.create_connection(("127.0.0.1", server.port), 10.0)
            client.sendall(first)
            client.setblocking(False)
            self._open[client.fileno()] = client, more
            self._poll.register(client, select.POLLIN)

    @property
    def connected(self) -> int:
        """The number of clients whose connection the server has not closed."""
        return len(self._open)

    def drip(self) -> None:
        """Send a little more from each client, and note which connections are closed."""
        for number, _ in self._poll.poll(0):
            with contextlib.suppress(BlockingIOError):
                try:
                    if self._open[number][0].recv(65536):
                        continue
                except ConnectionError:
                    pass
                self._drop(number)
        for number, (client, more) in list(self._open.items()):
            try:
                client.send(more)
            except BlockingIOError:
                pass
            except ConnectionError:
                self._drop(number)

    def close(self) -> None:
        """Close the connections that are left."""
        for number in list(self._open):
            self._drop(number)

    def _drop(self, number: int) -> None:
        self._poll.unregister(number)
        self._open.pop(number)[0].close()


def connections(server: SiteServer) -> int:
    """Return the number of clients' connections that the server's processes hold."""
    found = 0
    for process in [psutil.Process(server.pid), *server.tree()]:
        for one in process.net_connections("tcp"):
            found += one.laddr[1] == server.port and bool(one.raddr)
    return found


@contextlib.contextmanager
def silent(server: SiteServer, number: int) -> Iterator[None]:
    """Hold so many connections that send nothing for the length of a block."""
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10.0))
        yield


def limit_open_files(server: SiteServer, number: int) -> None:
    """Set the limit of open files of a server that runs, which it cannot raise."""
    for process in [psutil.Process(server.pid), *server.tree()]:
        process.rlimit(psutil.RLIMIT_NOFILE, (number, number))


@contextlib.contextmanager
def descriptors(limit: int | None = None) -> Iterator[None]:
    """Set the soft limit of open files of this process and its children; None for the most."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit or hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
