"""Clients send nothing, or a byte a second; or they read next to nothing of their answers."""

from __future__ import annotations

import time

import pytest

from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.engines import BARE
from tests.support.faults.engines import server_of
from tests.support.faults.floods import MIB, PIPELINED, forget_peaks, peak, unread
from tests.support.faults.slow import (
    SlowClients,
    connections,
    descriptors,
    limit_open_files,
    silent,
)
from tests.support.faults.voters import serves
from tests.support.site_client import Client
from tests.support.site_server import Databases, until

GONE_SECONDS = 30.0
SERVED_SECONDS = 2.0
DRIP_SECONDS = 1.0
# Fewer than there are clients, as a shell gives them to a server: it has to raise this by itself.
SOFT_LIMIT = 512

# Open files of a server that gets more connections.
HARD_LIMIT = 256
FULL_SECONDS = 5.0
VISIT_SECONDS = 5.0

# Large answers, and small ones, of which a framework makes more at once.
PAGES = ("/static/site.css", "/ugly")
MOST_GROWTH = 128 * MIB
UNREAD_SECONDS = 5.0

slow_clients = pytest.mark.fault(
    "slow clients",
    "With 1,100 connections that are silent or send a byte a second, other visitors are served "
    "within 2 s, and 30 s later all of these connections are closed.",
    bound=120,
)
no_open_files = pytest.mark.fault(
    "no more open files",
    f"A server that may open {HARD_LIMIT} files gets three times as many silent connections. It "
    "answers on the connections that are in use, writes one line into its log and serves other "
    f"visitors within {VISIT_SECONDS:.0f} s, and within {SERVED_SECONDS:.0f} s when the silent "
    "connections are closed.",
    bound=120,
)
unread_answers = pytest.mark.fault(
    "unread answers",
    f"While 20 clients pipeline {PIPELINED / 1e6:.1f} MB of requests each and read 400 bytes every "
    f"0.3 s, the server's memory grows by less than {MOST_GROWTH // MIB} MiB, and other visitors "
    f"are served within {UNREAD_SECONDS:.0f} s.",
    bound=120,
)


@slow_clients
@pytest.mark.parametrize("engine", BARE)
def test_slow_clients(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    number = extent.times(full=1100, short=600)
    record.tried = f"{number} clients"
    with descriptors(SOFT_LIMIT), server_of(engine, databases) as server, descriptors():
        clients, longest = SlowClients(server, number), 0.0
        connected = time.monotonic()
        try:
            while clients.connected and time.monotonic() < connected + GONE_SECONDS:
                clients.drip()
                asked = time.monotonic()
                assert serves(server)
                assert serves(server, "/")
                longest = max(longest, time.monotonic() - asked)
                record.text = f"other visitors waited {1000 * longest:.0f} ms at most"
                time.sleep(DRIP_SECONDS)
            assert not clients.connected, f"after {GONE_SECONDS:.0f} s"
            record.recovery.append(time.monotonic() - connected)
        finally:
            clients.close()
        assert longest < extent.seconds(SERVED_SECONDS)
        until(lambda: connections(server) == 0, 3.0, "connections are left in the server")
        assert server.log() == ""
        assert server.stop() == 0


@no_open_files
@pytest.mark.parametrize("engine", BARE)
def test_no_open_files(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    number, longest = extent.times(full=3 * HARD_LIMIT, short=2 * HARD_LIMIT), 0.0
    record.tried = f"{number} connections, {HARD_LIMIT} files"
    with descriptors(), server_of(engine, databases) as server:
        limit_open_files(server, HARD_LIMIT)
        connected = Client(server.url)
        assert connected.ask("GET", "/").status == 200
        with silent(server, number):
            began = time.monotonic()
            while time.monotonic() < began + FULL_SECONDS:
                asked = time.monotonic()
                assert connected.ask("GET", "/").status == 200
                longest = max(longest, time.monotonic() - asked)
                time.sleep(0.02)
            asked = time.monotonic()
            seconds = extent.seconds(VISIT_SECONDS)
            until(lambda: serves(server, "/", seconds), seconds, "no visitor is served")
            waited = time.monotonic() - asked
        closed = time.monotonic()
        seconds = extent.seconds(SERVED_SECONDS)
        until(lambda: serves(server, "/", seconds), seconds, "no visitor is served any more")
        record.recovery.append(time.monotonic() - closed)
        record.text = (
            f"who was connected waited {1000 * longest:.0f} ms at most, a visitor {waited:.1f} s"
        )
        connected.close()
        assert len(server.log().splitlines()) == 1
        assert server.stop() == 0


@unread_answers
@pytest.mark.parametrize("engine", BARE)
def test_unread_answers(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    clients, grown, longest = extent.times(full=20, short=4), 0, 0.0
    record.tried = f"{clients} clients on each of {len(PAGES)} pages"
    with server_of(engine, databases) as server:
        processes = server.tree()
        for page in PAGES:
            before = forget_peaks(server)
            for _ in unread(server, page, clients, seconds=5.0):
                asked = time.monotonic()
                assert serves(server, seconds=extent.seconds(UNREAD_SECONDS))
                longest = max(longest, time.monotonic() - asked)
            grown = max(grown, peak(server) - before)
            record.text = f"{grown / MIB:.0f} MiB more; others waited {1000 * longest:.0f} ms"
        assert grown < MOST_GROWTH
        assert server.tree() == processes
        assert server.log() == ""
        assert server.stop() == 0
