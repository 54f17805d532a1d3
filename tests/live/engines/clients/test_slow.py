"""Clients that say nothing, or say it slowly: others are served, and they are gone in time."""

from __future__ import annotations

import contextlib
import resource
import select
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from handlers import LOOPS
from handlers.engine import parse
from handlers.timeouts import TIMEOUTS
from tests.support.engines import BARE, Starter, with_each
from tests.support.site_client import Client, get
from tests.support.site_server import SiteServer, fleet, until

SLOW = 1100
PLAIN = [name for name in BARE if parse(name).loop == next(iter(LOOPS))]
# An answer to somebody else meanwhile, on a machine with all servers at once.
SERVED_SECONDS = 3.0
GONE_SECONDS = 30.0
DRIP_SECONDS = 1.0
# Fewer than there are clients, as is usual for who starts a server in a shell.
SOFT_LIMIT = 512

# How a connection begins, and what drips then.
SILENT, HEAD, BODY, CHUNKS = range(4)
BEGINS = {
    SILENT: b"",
    HEAD: b"GET /ugly HTTP/1.1\r\nHost: x\r\nX: ",
    BODY: b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
    CHUNKS: b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
}
DRIPS = {SILENT: b"", HEAD: b"a", BODY: b"a", CHUNKS: b"1\r\na\r\n"}


@pytest.fixture(autouse=True)
def descriptors() -> Iterator[None]:
    """Enough of them for the other sides of all connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.contextmanager
def low_limit() -> Iterator[None]:
    """What is started meanwhile may have few open files at first."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT_LIMIT, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Crowd:
    """Slow clients of some servers."""

    def __init__(self, servers: Sequence[SiteServer], number: int) -> None:
        self.open: dict[int, tuple[socket.socket, int]] = {}
        self._poll = select.poll()
        for server in servers:
            for at in range(number):
                kind = at % len(BEGINS)
                client = socket.create_connection(("127.0.0.1", server.port), 10.0)
                client.sendall(BEGINS[kind])
                client.setblocking(False)
                self.open[client.fileno()] = client, kind
                self._poll.register(client, select.POLLIN)

    def drip(self) -> None:
        """A little more from each; who was closed is gone, whatever it was told before."""
        for number, _ in self._poll.poll(0):
            with contextlib.suppress(BlockingIOError):
                try:
                    if self.open[number][0].recv(65536):
                        continue
                except ConnectionError:
                    pass
                self._drop(number)
        for number, (client, kind) in list(self.open.items()):
            try:
                client.send(DRIPS[kind])
            except BlockingIOError:
                pass
            except ConnectionError:
                self._drop(number)

    def _drop(self, number: int) -> None:
        self._poll.unregister(number)
        self.open.pop(number)[0].close()

    def close(self) -> None:
        for number in list(self.open):
            self._drop(number)


def served(server: SiteServer) -> float:
    """Seconds that two pages took."""
    began = time.monotonic()
    assert get(server.url, "/ugly").body == b"UGLY"
    assert get(server.url, "/").status == 200
    return time.monotonic() - began


def connections(server: SiteServer) -> int:
    """How many clients' sockets the server's processes have."""
    found = 0
    for process in [psutil.Process(server.pid), *server.tree()]:
        for one in process.net_connections("tcp"):
            found += one.laddr[1] == server.port and bool(one.raddr)
    return found


@pytest.mark.parametrize("loop", list(LOOPS))
@pytest.mark.timeout(180)
def test_slow_clients_are_gone_in_time_and_harm_nobody(starter: Starter, loop: str) -> None:
    """All frameworks at once, as most of it is waiting."""
    names = [name for name in BARE if parse(name).loop == loop]
    for name in names:
        starter.ready(name)
    with contextlib.ExitStack() as stack:
        with low_limit():
            servers = stack.enter_context(fleet(names, starter.databases.env()))
        all_of_them = list(servers.values())
        crowd, took = Crowd(all_of_them, SLOW), 0.0
        try:
            began = time.monotonic()
            with ThreadPoolExecutor(len(all_of_them)) as pool:
                while crowd.open and time.monotonic() - began < GONE_SECONDS:
                    crowd.drip()
                    took = max(took, *pool.map(served, all_of_them))
                    time.sleep(DRIP_SECONDS)
            lived = time.monotonic() - began
            assert not crowd.open, f"{len(crowd.open)} after {lived:.0f} s"
            assert lived > TIMEOUTS.request - 3.0, "they had no time"
            assert took < SERVED_SECONDS
        finally:
            crowd.close()
        for server in all_of_them:
            until(lambda: connections(server) == 0, 3.0, f"{server.engine} keeps some")  # noqa: B023
            assert server.log() == ""
            assert server.stop() == 0


def come_slowly(server: SiteServer) -> None:
    """A request that takes most of its time, beside a client that comes back later than that."""
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nvote=abc"
    with socket.create_connection(("127.0.0.1", server.port), 5.0) as connection:
        idle, began = Client(server.url), time.monotonic()
        assert idle.ask("GET", "/ugly").status == 200
        for at in range(0, len(request), 8):
            connection.sendall(request[at : at + 8])
            time.sleep(1.1)
        assert b" 400 " in connection.recv(65536).splitlines()[0]
        time.sleep(max(0.0, began + TIMEOUTS.request + 2.0 - time.monotonic()))
        assert idle.ask("GET", "/ugly").status == 200
        idle.close()
    assert server.log() == ""


def test_who_is_slow_but_comes_to_an_end_is_answered(starter: Starter) -> None:
    for name in PLAIN:
        starter.ready(name)
    with (
        fleet(PLAIN, starter.databases.env()) as servers,
        ThreadPoolExecutor(len(servers)) as pool,
    ):
        for done in [pool.submit(come_slowly, server) for server in servers.values()]:
            done.result()


@with_each(PLAIN)
def test_the_limit_of_descriptors_is_raised(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with low_limit():
        server = SiteServer(engine, starter.databases.env())
    try:
        for process in [psutil.Process(server.pid), *server.tree()]:
            soft, hard = process.rlimit(psutil.RLIMIT_NOFILE)
            assert soft == hard
    finally:
        server.end()
