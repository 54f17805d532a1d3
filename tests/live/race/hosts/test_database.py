"""Databases of a race on another machine, for which an sshd of the test's own stands."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from databases import find
from databases.database import DatabaseError
from race.errors import CellFailed, RaceError
from race.machine.remote.host import SSH
from race.web.databases import Databases, held
from race.web.hosts import party
from race.web.hosts.database import DatabaseHost
from race.web.hosts.party import dial_here
from race.web.scenario import Hosts, SiteScenario
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support import sshd
from tests.support.site_server import until
from tests.support.sshd import THERE, Sshd, cut

NAME = "tarantool"
HOLDS = """
import sys, time
from race.web.hosts.database import DatabaseHost
from race.web.hosts.party import dial_here
from race.web.scenario import Hosts, SiteScenario
hosts = Hosts(database=sys.argv[1])
far = SiteScenario(name="x", title="X", contenders=("x",), tasks=("ugly",), hosts=hosts)
found = DatabaseHost(far, ["tarantool"], dial_here, "this machine")
print(found.start("tarantool").pid, flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    if missing := find(NAME).missing():
        absent(missing)
    with sshd.running(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture(autouse=True)
def its_ssh(server: Sshd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SSH, server.command)
    monkeypatch.delenv(find(NAME).url_variable, raising=False)


def database_host(given: str = f"{THERE}:{sys.executable}") -> DatabaseHost:
    far = SiteScenario(
        name="far",
        title="Far away",
        contenders=("aiohttp-tarantool-one",),
        tasks=("good",),
        hosts=Hosts(database=given),
    )
    return DatabaseHost(far, [NAME], dial_here, "this machine")


@pytest.fixture
def elsewhere() -> Iterator[DatabaseHost]:
    with closing(database_host()) as found:
        yield found


def test_it_is_metered_there_and_ends_with_its_last_user(elsewhere: DatabaseHost) -> None:
    with held([NAME], elsewhere) as databases:
        one = databases.party(NAME, frozenset())
        assert one.machine is not None
        assert one.pid is not None
        process = psutil.Process(one.pid)
        assert one.machine.read_tree("used_ns", one.pid) > 0
        assert one.machine.read_tree("resident_bytes", one.pid) > 1_000_000
        assert one.machine.read_tree("switches", one.pid)["voluntary"] > 0
        assert 0 < one.machine.network()["round_trip"] < 1e6
        assert databases.env(NAME) == {"TARANTOOL_URL": databases.url(NAME)}
        assert databases.pid(NAME) is None
        assert set(process.cpu_affinity() or []) == elsewhere.cores
    assert not process.is_running()
    assert elsewhere.described().versions[NAME]


def test_one_that_died_is_started_again(elsewhere: DatabaseHost) -> None:
    with held([NAME], elsewhere) as databases:
        url = databases.url(NAME)
        databases.renew(NAME)
        assert not databases.lost(NAME, url)
        handle = databases.handles[NAME]
        psutil.Process(handle.pid).kill()
        until(lambda: databases.lost(NAME, url), 10.0, "nobody noticed")
        with pytest.raises(DatabaseError, match=r"tarantool on there has ended"):
            assert handle.pid
        assert databases.party(NAME, frozenset()).pid is None
        databases.renew(NAME)
        assert databases.url(NAME) != url
        assert not databases.lost(NAME, databases.url(NAME))


def test_a_lost_machine_is_one_line_and_connected_again(elsewhere: DatabaseHost) -> None:
    with held([NAME], elsewhere) as databases:
        one = databases.party(NAME, frozenset())
        assert one.machine is not None
        process = psutil.Process(one.pid)
        cut(THERE)
        with pytest.raises(CellFailed, match=r"^the connection to there was lost: killed by SIG"):
            one.machine.traffic()
        until(lambda: not process.is_running(), 10.0, "it outlived the connection")
        databases.renew(NAME)
        assert databases.party(NAME, frozenset()).pid


def test_one_that_cannot_be_reached_is_one_line(
    server: Sshd, elsewhere: DatabaseHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*words: object) -> None:
        raise TimeoutError("timed out")

    monkeypatch.setattr(party, "dial", refused)
    with pytest.raises(
        RaceError,
        match=r"^this machine cannot reach tarantool on there at 127\.0\.0\.1, port \d+ \(timed o",
    ):
        Databases(away=elsewhere).hold([NAME])
    running = psutil.Process(server.process.pid).children(recursive=True)
    assert not [one for one in running if "databases.away" in one.cmdline()]


def test_a_url_and_a_machine_are_too_much(
    elsewhere: DatabaseHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARANTOOL_URL", "tarantool://x:y@127.0.0.1:1")
    with pytest.raises(RaceError, match=r"^TARANTOOL_URL names a database of yours: unset"):
        Databases(away=elsewhere).hold([NAME])


def test_a_program_that_is_missing_there_is_one_line(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPATH=/nowhere exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    with pytest.raises(RaceError, match=r"^there has no tarantool: docs/hosts.md says"):
        database_host(f"{THERE}:{python}")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_does_not_outlive_the_harness(number: signal.Signals) -> None:
    words = [sys.executable, "-c", HOLDS, f"{THERE}:{sys.executable}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        database = psutil.Process(int(process.stdout.readline()))
        process.send_signal(number)
    until(lambda: not database.is_running(), 15.0, "it outlived the harness")
