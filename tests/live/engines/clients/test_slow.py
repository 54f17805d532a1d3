"""Clients that send nothing, or very slowly: others are served, and they are gone in time."""

from __future__ import annotations

import contextlib
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import psutil

from handlers import HELD_THREADS
from handlers.engine import parse
from tests.support.engines import ON_MEMORY, Starter, with_each
from tests.support.faults.slow import SlowClients, connections, descriptors
from tests.support.site_client import Client, get
from tests.support.site_server import SiteServer, fleet, serving, until

# What a server of these tests waits for a request, and how often it checks its connections.
REQUEST_SECONDS, CHECK_SECONDS = 3.0, 0.25
TIMEOUTS = f"request={REQUEST_SECONDS},check={CHECK_SECONDS}"
SLOW = 80
IN_THREADS = [name for name in ON_MEMORY if HELD_THREADS in parse(name).gaps]
LAST_REQUEST = b"GET /ugly HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
# Fewer open files than one server gets connections: it has to raise this limit by itself.
SOFT_LIMIT = 64


def test_slow_clients_are_gone_in_time_and_harm_nobody(starter: Starter) -> None:
    """All frameworks at once, as most of the time is waiting."""
    for name in ON_MEMORY:
        starter.ready(name)
    env = starter.databases.env(SITE_TIMEOUTS=TIMEOUTS)
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(len(ON_MEMORY)) as pool:
        with descriptors(SOFT_LIMIT):
            servers = stack.enter_context(fleet(ON_MEMORY, env)).values()
        for done in [pool.submit(check_slow_clients, server) for server in servers]:
            done.result()


@with_each(IN_THREADS, gap=HELD_THREADS)
def test_slow_clients_harm_nobody(starter: Starter, engine: str) -> None:
    """It is expected to fail: these engines have the gap. The others are tested above."""
    starter.ready(engine)
    with serving(engine, starter.databases.env(SITE_TIMEOUTS=TIMEOUTS)) as server:
        clients = SlowClients(server, SLOW)
        try:
            check_others(server, clients)
        finally:
            clients.close()


@with_each(IN_THREADS)
def test_clients_that_stay_after_their_answer_harm_nobody(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server, contextlib.ExitStack() as stack:
        began = time.monotonic()
        for _ in range(4):
            where = ("127.0.0.1", server.port)
            connection = stack.enter_context(socket.create_connection(where, 5.0))
            connection.sendall(LAST_REQUEST)
            assert connection.recv(65536)
        assert time.monotonic() - began < 1.5
        assert get(server.url, "/ugly").status == 200


def check_slow_clients(server: SiteServer) -> None:
    for process in [psutil.Process(server.pid), *server.tree()]:
        soft, hard = process.rlimit(psutil.RLIMIT_NOFILE)
        assert soft == hard
    clients, connected = SlowClients(server, SLOW), time.monotonic()
    idle = Client(server.url)
    try:
        if HELD_THREADS not in parse(server.engine).gaps:
            assert idle.ask("GET", "/ugly").status == 200
            answered_in_the_end(server)
            check_others(server, clients)
        while clients.connected:
            clients.drip()
            late = time.monotonic() - connected - REQUEST_SECONDS
            assert late < 2.0, f"{clients.connected} are left"
            time.sleep(CHECK_SECONDS)
        # A connection that was answered may be idle for longer than a request may take.
        assert idle.ask("GET", "/ugly").status == 200
    finally:
        clients.close()
        idle.close()
    until(lambda: connections(server) == 0, 3.0, f"{server.engine} keeps some")
    assert server.log() == ""
    assert server.stop() == 0


def check_others(server: SiteServer, clients: SlowClients) -> None:
    """Check that others are served while the slow clients are connected."""
    assert get(server.url, "/").status == 200
    clients.drip()
    assert clients.connected == SLOW, "they had no time"


def answered_in_the_end(server: SiteServer) -> None:
    """Send a request that takes most of its time."""
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nvote=abc"
    with socket.create_connection(("127.0.0.1", server.port), 5.0) as connection:
        for at in range(0, len(request), 8):
            connection.sendall(request[at : at + 8])
            time.sleep(0.2)
        assert b" 400 " in connection.recv(65536).splitlines()[0]
