"""The supervisors of private databases are killed under votes, and the databases with them."""

from __future__ import annotations

import os
import signal
import time

import psutil
import pytest

from databases.database import DatabaseError
from databases.private import Handle
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.engines import database_of, on_each_database, server_of
from tests.support.faults.voters import Voters
from tests.support.site_server import Databases, until

PROGRAM = "databases.supervisor"
MOST_SECONDS = 2.0
GIVE_UP_SECONDS = 10.0
VOTES = 10

pytestmark = pytest.mark.fault(
    "a killed supervisor",
    "When the supervisor of a private database is killed, the running servers start a new one "
    "within 2 s; no vote that was acknowledged is lost.",
    bound=300,
)


@pytest.mark.parametrize("engine", on_each_database())
def test_killed_supervisor(
    engine: str, databases: Databases, extent: Extent, record: Record
) -> None:
    database = database_of(engine)
    kills = extent.times(full=10, short=2)
    record.tried, record.subject = f"{kills} kills", f"{database}, {engine}"
    with server_of(engine, databases) as server:
        before = databases.statistics_of(engine).votes
        with Voters(server.url) as voters:
            for number in range(kills):
                voters.wait(number + VOTES, GIVE_UP_SECONDS)
                record.recovery.append(kill(databases.handle(database), voters))
        record.votes = voters.votes(databases, engine, before)
    record.votes.check()
    assert max(record.recovery) < extent.seconds(MOST_SECONDS)


def kill(handle: Handle, voters: Voters) -> float:
    """Kill the supervisor; return the seconds until a vote under the next one."""
    old: int = until(lambda: supervisor_of(handle), GIVE_UP_SECONDS, "there is no supervisor")
    killed = time.monotonic()
    os.kill(old, signal.SIGKILL)
    another = "no other supervisor was started"
    until(lambda: supervisor_of(handle) not in (None, old), GIVE_UP_SECONDS, another)
    return voters.vote_after(time.monotonic(), GIVE_UP_SECONDS) - killed


def supervisor_of(handle: Handle) -> int | None:
    """Return the process above the database that supervises it, or None while there is none."""
    try:
        for process in psutil.Process(handle.pid).parents():
            if PROGRAM in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                return process.pid
    except (DatabaseError, psutil.Error):
        pass
    return None
