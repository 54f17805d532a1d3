"""More connections than a server may open files: it serves, and its log stays short."""

from __future__ import annotations

import contextlib
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from handlers.web import open_files
from handlers.web.listen import Listen
from tests.support.engines import BARE, Starter
from tests.support.faults.slow import descriptors, limit_open_files, silent
from tests.support.faults.voters import serves
from tests.support.site_client import Client
from tests.support.site_server import SiteServer, fleet, until

LIMIT = 96
# Of this process, with the files that it needs itself.
OWN_LIMIT = 256
SILENT = 150
FULL_SECONDS = 1.5
SERVED_SECONDS = 6.0


def test_at_the_limit_of_open_files_everybody_is_served(starter: Starter) -> None:
    """All frameworks and loops at once, as most of the time is waiting."""
    for name in BARE:
        starter.ready(name)
    with fleet(BARE, starter.databases.env()) as servers, ThreadPoolExecutor(len(BARE)) as pool:
        for done in [pool.submit(check_at_the_limit, server) for server in servers.values()]:
            done.result()


def check_at_the_limit(server: SiteServer) -> None:
    limit_open_files(server, LIMIT)
    connected = Client(server.url)
    assert connected.ask("GET", "/").status == 200
    with silent(server, SILENT):
        end = time.monotonic() + FULL_SECONDS
        while time.monotonic() < end:
            assert connected.ask("GET", "/").status == 200
            time.sleep(0.02)
        until(lambda: serves(server, "/"), SERVED_SECONDS, f"{server.engine} serves no visitor")
    assert connected.ask("GET", "/").status == 200
    connected.close()
    assert len(server.log().splitlines()) == 1
    assert server.stop() == 0


def test_accepting_stops_while_some_files_are_free() -> None:
    """asyncio then pauses for a second; it would log each accept that fails after the first."""
    with descriptors(OWN_LIMIT), contextlib.ExitStack() as stack:
        listen = Listen("127.0.0.1", 0)
        stack.callback(listen.close)

        def accept() -> None:
            for _ in range(OWN_LIMIT):
                stack.enter_context(socket.create_connection((listen.host, listen.port), 5.0))
                stack.enter_context(listen.socket.accept()[0])

        with pytest.raises(OSError, match="Too many open files"):
            accept()
        assert open_files.next_number() < OWN_LIMIT * 0.9
        with pytest.raises(BlockingIOError):
            listen.socket.accept()
