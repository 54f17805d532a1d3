"""More visitors than a Tarantool with little memory can keep, each with a long User-Agent."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from data_interface.store import AGENT_LENGTH
from race.discipline import Sample
from race.load.generator import Target
from race.load.wrk import Wrk
from race.saved.model import Load
from tests.conftest import absent
from tests.long.faults.page import Record
from tests.support.faults.engines import server_of
from tests.support.faults.voters import Voters
from tests.support.site_server import Databases, SiteServer

ENGINE = "aiohttp-tarantool-one"
# By memory, more pages than it could keep sessions and tokens of.
PAGES = {"32M": 45_000, "64M": 100_000}
LOAD = Load(generator="wrk", connections=50, duration_s=10.0)
MOST_RUNS = 20
SPARE_SECONDS = 15.0

pytestmark = pytest.mark.fault(
    "a Tarantool with little memory",
    "The oldest sessions and tokens make room: every page is answered, and votes are taken.",
    bound=300,
)


@pytest.mark.parametrize("memory", PAGES)
def test_small_memory(
    memory: str, tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing := Wrk().missing():
        absent(missing)
    record.subject = f"{memory}, {ENGINE}"
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv("TARANTOOL_MEMORY", memory)
    databases = Databases(tmp_path)
    try:
        with server_of(ENGINE, databases) as server:
            pages = refused = 0
            for _ in range(MOST_RUNS):
                sample = index(server)
                pages, refused = pages + sample.count, refused + sum(sample.errors.values())
                if pages + refused > PAGES[memory]:
                    break
            record.tried, record.text = f"{pages:,} pages", f"{refused:,} refused"
            assert pages > PAGES[memory]
            assert not refused
            before = databases.statistics_of(ENGINE).votes
            with Voters(server.url) as voters:
                voters.wait(10, SPARE_SECONDS)
            record.votes = voters.votes(databases, ENGINE, before)
    finally:
        databases.release()
    record.votes.check()


def index(server: SiteServer) -> Sample:
    """Return what wrk measured with new visitors that send the longest User-Agent."""
    command = Wrk().command(Target(server.url, "/"), LOAD)
    command[1:1] = ["-H", f"User-Agent: {'a' * AGENT_LENGTH}"]
    seconds = LOAD.duration_s + SPARE_SECONDS
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds)
    return Wrk().parse(done.stdout, LOAD).sample
