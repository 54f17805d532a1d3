"""Worker processes are killed again and again."""

from __future__ import annotations

import signal
import time

import pytest

from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.engines import on_first_database, server_of
from tests.support.faults.voters import serves
from tests.support.site_server import Databases, until

WORKERS = 2
MOST_SECONDS = 2.0
GIVE_UP_SECONDS = 8.0
PAUSE_SECONDS = 0.5

pytestmark = pytest.mark.fault(
    "killed workers",
    "A worker that served is started again within 2 s, however often it is killed; the server "
    "never gives up.",
    bound=300,
)


@pytest.mark.parametrize("engine", on_first_database())
def test_killed_workers(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    chance = extent.random("workers")
    kills = extent.times(full=30, short=4)
    record.tried, record.text = f"{kills} kills", f"{WORKERS} workers"
    with server_of(engine, databases, "--workers", str(WORKERS)) as server:
        for _ in range(kills):
            before = {one.pid for one in server.tree()}
            chance.choice(server.tree()).send_signal(signal.SIGKILL)
            killed = time.monotonic()

            def replaced() -> bool:
                now = {one.pid for one in server.tree()}
                return len(now) == WORKERS and now != before  # noqa: B023 - used in this turn

            until(replaced, GIVE_UP_SECONDS, "no other worker was started")
            until(lambda: serves(server, seconds=1.0), GIVE_UP_SECONDS, "it serves no page")
            record.recovery.append(time.monotonic() - killed)
            time.sleep(PAUSE_SECONDS)
        assert server.alive()
    assert max(record.recovery) < extent.seconds(MOST_SECONDS)
