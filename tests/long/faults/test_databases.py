"""Databases are killed under votes."""

from __future__ import annotations

import os
import signal
import time

import pytest

from databases.database import DatabaseError
from databases.private import Handle
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.engines import database_of, on_each_backend, server_of
from tests.support.faults.voters import Voters
from tests.support.site_server import Databases, until

BACK_SECONDS = 10.0
# The time between a recovery and the next kill.
PAUSE_SECONDS = (0.1, 0.8)

pytestmark = pytest.mark.fault(
    "a killed database",
    "Killed under votes again and again, it comes back by itself, and every vote that was "
    "acknowledged is counted exactly once.",
    bound=600,
)


@pytest.mark.parametrize("engine", on_each_backend())
def test_killed_database(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    database, chance = database_of(engine), extent.random(engine)
    kills = extent.times(full=20, short=3)
    record.tried = f"{kills} kills"
    with server_of(engine, databases) as server:
        before = databases.statistics_of(engine).votes
        with Voters(server.url) as voters:
            voters.wait(1, BACK_SECONDS)
            for _ in range(kills):
                time.sleep(chance.uniform(*PAUSE_SECONDS))
                record.recovery.append(kill(databases.handle(database), voters))
        record.votes = voters.votes(databases, engine, before)
    record.votes.check()
    assert voters.refused == 0, "votes of fresh ballots were refused"


def kill(handle: Handle, voters: Voters) -> float:
    """Kill the database; return the seconds until a vote that its next process took."""
    old, killed = handle.pid, time.monotonic()
    os.kill(old, signal.SIGKILL)

    def restarted() -> bool:
        try:
            return handle.pid != old
        except DatabaseError:
            return False

    until(restarted, BACK_SECONDS, f"no other process was started within {BACK_SECONDS:.0f} s")
    return voters.vote_after(time.monotonic(), BACK_SECONDS) - killed
