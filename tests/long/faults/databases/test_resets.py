"""Clients reset their connections as soon as they have asked for a heavy report, for 5 seconds."""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path

import pytest

from tests.long.faults.page import Record
from tests.support.faults.engines import server_of
from tests.support.faults.leaving import RESET
from tests.support.faults.voters import serves
from tests.support.site_server import Databases, SiteServer, until

PAGE = "/reports/3"
STORM_SECONDS = 5.0
# How long a client stays, which is long enough for the server to begin with its page.
STAY_SECONDS = 0.0005
BACK_SECONDS = 2.0
MOST_LINES = 5

pytestmark = pytest.mark.fault(
    "a storm of resets on a report",
    "Visitors are served within 2 s after it, the next server on the same database starts, and the "
    "log has a few lines.",
    bound=90,
)


@pytest.mark.parametrize(
    "engine", ["aiohttp-tarantool-one", "japronto-tarantool-one", "japronto-postgres-pool"]
)
def test_resets(
    engine: str, tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    databases = Databases(tmp_path)
    record.subject = engine
    try:
        with server_of(engine, databases, SITE_HISTORY="1") as server:
            until(lambda: serves(server, PAGE), BACK_SECONDS, "the report is not shown")
            record.tried = f"{storm(server):,} resets"
            over = time.monotonic()
            until(lambda: serves(server, "/", BACK_SECONDS), BACK_SECONDS, "nobody is served")
            record.recovery.append(time.monotonic() - over)
            lines = server.log().splitlines()
            record.text = f"{len(lines)} lines in the log"
            assert record.recovery[0] < BACK_SECONDS
            assert len(lines) <= MOST_LINES
            with server_of(engine, databases) as following:
                assert serves(following, "/")
    finally:
        databases.release()


def storm(server: SiteServer) -> int:
    """Ask for the page and reset the connection, again and again; return how often."""
    number, end = 0, time.monotonic() + STORM_SECONDS
    while time.monotonic() < end:
        with socket.socket() as client, contextlib.suppress(OSError):
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            client.settimeout(BACK_SECONDS)
            client.connect(("127.0.0.1", server.port))
            client.sendall(f"GET {PAGE} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            number += 1
            time.sleep(STAY_SECONDS)
    return number
