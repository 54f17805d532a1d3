"""Clients send nothing, or a byte a second."""

from __future__ import annotations

import time

import pytest

from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.engines import BARE
from tests.support.faults.engines import server_of
from tests.support.faults.slow import SlowClients, connections, descriptors
from tests.support.faults.voters import serves
from tests.support.site_server import Databases, until

GONE_SECONDS = 30.0
SERVED_SECONDS = 2.0
DRIP_SECONDS = 1.0
# Fewer than there are clients, as a shell gives them to a server: it has to raise this by itself.
SOFT_LIMIT = 512

pytestmark = pytest.mark.fault(
    "slow clients",
    "With 1,100 connections that are silent or send a byte a second, other visitors are served "
    "within 2 s, and 30 s later all of these connections are closed.",
    bound=120,
)


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
