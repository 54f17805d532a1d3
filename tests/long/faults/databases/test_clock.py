"""The system's clock jumps under votes: far ahead, far behind, and back to the right time."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_interface.reports.rows import DAY
from data_interface.store import CLEAN_EVERY_SECONDS
from data_interface.votes import store_of
from runtime.paths import ROOT
from tests.conftest import absent
from tests.long.faults.page import Record
from tests.support.faults.engines import database_of, on_each_database, server_of
from tests.support.faults.voters import Voters, serves
from tests.support.site_client import get
from tests.support.site_server import Databases
from tests.support.stores.insiders import INSIDERS

SOURCE = ROOT / "tests" / "support" / "faults" / "clock.c"
SHIFTS = (400 * DAY, -400 * DAY, 0)
VOTES = 10
BACK_SECONDS = 10.0
# The database cleans meanwhile, and connections that waited for the jump are used again.
STAY_SECONDS = 3 * CLEAN_EVERY_SECONDS

pytestmark = pytest.mark.fault(
    "a clock that jumps",
    "No page fails and no vote is lost while the clock of servers and databases jumps by 400 days "
    "and more; the history keeps all votes, and whoever comes later keeps the session.",
    bound=120,
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file with the seconds by which the clock is wrong for all that is started."""
    compiler = shutil.which("cc")
    if compiler is None:
        absent("no C compiler: make system, or apt-get install g++")
    # PostgreSQL may run as another user, who cannot look into the folders of pytest.
    with tempfile.TemporaryDirectory() as folder:
        library, shift = Path(folder) / "clock.so", Path(folder) / "shift"
        command = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE)]
        subprocess.run(command, check=True, timeout=30)
        shift.write_bytes(bytes(8))
        shift.parent.chmod(0o755)
        monkeypatch.setenv("LD_PRELOAD", str(library))
        monkeypatch.setenv("CLOCK_SHIFT", str(shift))
        yield shift


@pytest.mark.parametrize("engine", on_each_database())
def test_clock(engine: str, clock: Path, databases: Databases, record: Record) -> None:
    database = database_of(engine)
    record.subject = f"{database}, {engine}"
    with server_of(engine, databases) as server:
        with Voters(server.url) as voters:
            voters.wait(VOTES, BACK_SECONDS)
            for shift in SHIFTS:
                # In place: whoever reads the time while the file is cut off would be killed.
                with clock.open("r+b") as file:
                    file.write(shift.to_bytes(8, sys.byteorder, signed=True))
                jump = time.monotonic()
                record.recovery.append(voters.vote_after(jump, BACK_SECONDS) - jump)
                while time.monotonic() < jump + STAY_SECONDS:
                    assert serves(server, "/good")
                    time.sleep(0.1)
        cookie = re.search(r"session=([0-9a-f]{32})", get(server.url, "/").headers["set-cookie"])
        assert cookie
        time.sleep(STAY_SECONDS)
        assert get(server.url, "/", Cookie=cookie[0]).status == 200
        record.votes = voters.votes(databases, engine, 0)
        visits, history = asyncio.run(kept(database, databases.hold(database), cookie[1]))
    record.tried = f"{len(SHIFTS)} jumps"
    record.text = f"{voters.refused} votes refused whose tokens had expired"
    record.votes.check()
    assert not voters.undecided
    assert visits == 2
    assert history == record.votes.counted


async def kept(database: str, url: str, session: str) -> tuple[int, int]:
    """Return the visits of a session, and the number of votes in the history."""
    store: Any = store_of(database, url)
    async with INSIDERS[database](store, url) as insider:
        return (await insider.session(session))[2], len(await insider.votes())
