"""The disk of a database becomes full under votes, and then has room again."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import root_homes
from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.faults.disk import disk, fill, resize, used
from tests.support.faults.engines import database_of, on_each_database, server_of
from tests.support.faults.voters import Voters
from tests.support.site_server import Databases, until

ROOM = 1 << 30
LEAST_DATA = 64 * 1024
REFUSED_SECONDS = 2.0
BACK_SECONDS = 10.0
VOTES = 10

pytestmark = pytest.mark.fault(
    "a full disk under a database",
    "Votes are refused or counted, none that was acknowledged is lost, and within 10 s of room "
    "votes are taken again, without a start by hand.",
    bound=300,
)


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a folder that the user of root's databases can enter, with a short path."""
    found = Path(tempfile.mkdtemp(prefix="disk-"))
    yield found
    found.rmdir()


@pytest.mark.parametrize("engine", on_each_database())
def test_full_disk_of_a_database(
    engine: str, place: Path, extent: Extent, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = database_of(engine)
    record.subject = f"{database}, {engine}"
    with disk(place, ROOM):
        monkeypatch.setenv("VAR_DIR", str(place))
        monkeypatch.setenv("DATABASE_HOMES", str(place / "homes"))
        monkeypatch.setattr(root_homes, "ROOT_HOME", place / "homes")
        databases, empty = Databases(place), used(place)
        try:
            with server_of(engine, databases) as server:
                assert used(place) - empty > LEAST_DATA
                before = databases.statistics_of(engine).votes
                with Voters(server.url) as voters:
                    voters.wait(VOTES, BACK_SECONDS)
                    fill(place)
                    last = len(voters.acknowledged)
                    refused = is_refused(voters, extent.times(full=60, short=20))
                    taken = len(voters.acknowledged) - last
                    resize(place, ROOM)
                    room = time.monotonic()
                    record.recovery.append(voters.vote_after(room, BACK_SECONDS) - room)
                record.votes = voters.votes(databases, engine, before)
                record.tried, record.text = "once", f"{taken} votes taken without room"
                record.text += "" if refused else ", and none refused"
                assert server.alive()
        finally:
            databases.release()
    record.votes.check()


def is_refused(voters: Voters, seconds: float) -> bool:
    """Return whether votes are refused in time: databases reserve some room in their files."""
    try:
        until(lambda: voters.undecided, seconds, "no vote is refused")
    except AssertionError:
        return False
    time.sleep(REFUSED_SECONDS)
    return True
