"""Requests arrive while another one of their connection waits for the database."""

from __future__ import annotations

import time

import pytest

from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.engines import on_each_backend, on_first_database, server_of
from tests.support.faults.pipelined import CONNECTIONS, PATTERNS, send_all, send_behind
from tests.support.faults.voters import serves
from tests.support.site_server import Databases

MOST_SECONDS = 2.0
DELAYS_US = range(0, 5000, 20)
ENGINES = list(dict.fromkeys([*on_first_database(), *on_each_backend()]))

pytestmark = pytest.mark.fault(
    "pipelined pages that wait",
    "Each request is answered or refused, the page is served to others within 2 s, and no process "
    "of the server ends.",
    bound=300,
)


@pytest.mark.parametrize("engine", ENGINES)
def test_pipelined_pages(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    rounds = extent.times(full=4, short=1)
    record.tried = f"{rounds * len(PATTERNS) * CONNECTIONS} connections"
    with server_of(engine, databases) as server:
        before = server.tree()
        for _ in range(rounds):
            send_all(server)
            sent = time.monotonic()
            assert serves(server, "/")
            record.recovery.append(time.monotonic() - sent)
        for delay in DELAYS_US:
            send_behind(server, delay / 1e6)
        record.text = f"also {len(DELAYS_US)} delays between the page and what follows it"
        assert server.tree() == before
        assert server.log() == ""
        assert server.stop() == 0
    assert max(record.recovery) < extent.seconds(MOST_SECONDS)
