"""A load generator on another machine, for which an sshd of the test's own stands.

A whole race with one is in tests/long.
"""

from __future__ import annotations

import re
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from race.errors import CellFailed, RaceError
from race.load.drive import drive
from race.load.generator import Target
from race.load.wrk import Wrk
from race.machine.proc import CoreReading
from race.machine.process import Child, wait_first
from race.machine.remote.host import SSH, Host
from race.saved.model import Load
from race.web.hosts.generator import GeneratorHost
from race.web.hosts.party import files_of
from race.web.scenario import Hosts, SiteScenario
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support import sshd
from tests.support.locust_lab import fake
from tests.support.site_server import until
from tests.support.sshd import REFUSES, THERE, Sshd, cut

HOLDS = """
import sys, time
from race.machine.remote.host import Host
host = Host("there")
host.start(["sleep", sys.argv[1]], frozenset(), 60)
print(host.ask("put", {}), flush=True)
time.sleep(60)
"""
SITE = SiteScenario(
    name="far",
    title="Far away",
    contenders=("aiohttp-memory-one",),
    tasks=("ugly",),
    hosts=Hosts(generator=THERE),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    if missing := Wrk().missing():
        absent(missing)
    with sshd.running(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture(autouse=True)
def its_ssh(server: Sshd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SSH, server.command)


@pytest.fixture
def host() -> Iterator[Host]:
    found = Host(THERE)
    yield found
    found.close()


def sleeps(seconds: str) -> list[psutil.Process]:
    """The processes that sleep for so long."""
    found = []
    for one in psutil.process_iter():
        try:
            if one.cmdline()[:2] == ["sleep", seconds]:
                found.append(one)
        except psutil.Error:  # ended meanwhile
            continue
    return found


def unique() -> str:
    """Seconds that no other test sleeps."""
    return f"60.{secrets.randbelow(10**9)}"


def test_a_program_there_is_driven_as_one_here(host: Host) -> None:
    child = host.start(["sh", "-c", "echo out; echo bad >&2; exit 3"], frozenset(), 10)
    assert wait_first([child], 10) is child
    assert (child.output(), child.complaint(), str(child.exit())) == (
        "out\n",
        "bad",
        "ended with code 3",
    )
    sleeper = host.start(["sleep", unique()], frozenset(), 10)
    assert wait_first([sleeper], 0.1) is None
    sleeper.interrupt()
    assert wait_first([sleeper], 10) is sleeper
    assert sleeper.exit().signal is signal.SIGINT


def test_a_program_there_is_killed_at_its_limit(host: Host) -> None:
    child = host.start(["sleep", unique()], frozenset(), 0.1)
    assert wait_first([child], 10) is child
    assert child.exit().signal is signal.SIGKILL


def test_wrk_there_measures_as_here(host: Host) -> None:
    root = host.ask("put", files_of(ROOT, "wrk_scripts"))
    process = Child([sys.executable, "-c", "import signal; signal.pause()"])
    try:
        with fake({}) as site:
            target = Target(site.url, "/ugly", root=Path(root))
            for seconds in (0.5, 1.0):
                load = Load("wrk", 2, duration_s=seconds)
                result = drive(target, load, process, frozenset(), host)
                assert result.sample.count > 10
                assert not any(result.sample.errors.values())
                assert result.sample.cpu_ns["generator"] > 0
                assert result.own_ns
    finally:
        process.end()


def test_meters_there_read_what_those_here_do() -> None:
    one = GeneratorHost(SITE)
    try:
        with fake({}) as site:
            machine = one.machine(site.url)
            reading: CoreReading = machine.read_cores([])
            clocks, delays = machine.clocks(), machine.network()
        described = one.described()
    finally:
        one.close()
    assert sorted(reading.cores) == sorted(psutil.Process().cpu_affinity() or [])
    assert clocks is None or all(one.own >= 0 for one in clocks.values())
    assert 0 < delays["round_trip"] < 1e6
    # It is this machine, whose clock has no offset to itself.
    assert abs(delays["clock_offset"]) <= delays["clock_uncertainty"] + 1
    assert described.versions["wrk"]
    assert described.address == "127.0.0.1"


def test_a_lost_connection_is_said_and_made_again() -> None:
    seconds = unique()
    one = GeneratorHost(SITE)
    try:
        child = one.connected().start(["sleep", seconds], frozenset(), 60)
        until(lambda: sleeps(seconds), 10.0, "it did not start")
        cut(THERE)
        assert wait_first([child], 10) is child
        with pytest.raises(
            CellFailed, match=r"the connection to there was lost: killed by SIGKILL"
        ):
            child.exit()
        until(lambda: not sleeps(seconds), 10.0, "it outlived the connection")
        assert one.connected().ask("clock") > 0
    finally:
        one.close()


def test_a_machine_that_cannot_be_set_up_again_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    one = GeneratorHost(SITE)
    try:
        one.connected().close()
        with monkeypatch.context() as changed:
            no_wrk(changed)
            with pytest.raises(CellFailed, match=r"^wrk-of-nobody is not installed on there$"):
                one.connected()
        one.connected()
        assert Path(one.root).is_dir()
    finally:
        one.close()


def test_an_ended_program_leaves_no_file_open_there(host: Host) -> None:
    seconds = unique()
    child = host.start(["sleep", seconds], frozenset(), 60)
    (sleeper,) = until(lambda: sleeps(seconds), 10.0, "it did not start")
    agent = sleeper.parent()
    assert agent is not None
    before = agent.num_fds()
    child.end()
    assert not sleeps(seconds)
    assert agent.num_fds() < before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_there_outlives_the_harness(number: signal.Signals) -> None:
    seconds = unique()
    words = [sys.executable, "-c", HOLDS, seconds]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().decode().strip())
        until(lambda: sleeps(seconds), 10.0, "it did not start")
        assert folder.is_dir()
        process.send_signal(number)
    until(lambda: not sleeps(seconds), 10.0, "it outlived the harness")
    until(lambda: not folder.exists(), 10.0, "its folder outlived the harness")


def test_nothing_there_outlives_the_agent(host: Host) -> None:
    seconds = unique()
    child = host.start(["sleep", seconds], frozenset(), 60)
    (sleeper,) = until(lambda: sleeps(seconds), 10.0, "it did not start")
    parent = sleeper.parent()
    assert parent is not None
    folder = host.ask("put", {})
    parent.kill()
    until(lambda: not sleeps(seconds), 10.0, "it outlived the agent")
    assert wait_first([child], 10) is child
    Path(folder).rmdir()  # nobody is left to do it


def no_wrk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Wrk, "program", "wrk-of-nobody")


def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change nothing."""


@pytest.mark.parametrize(
    ("given", "change", "said"),
    [
        ("nobody.invalid", nothing, r"cannot reach nobody\.invalid \(.*resolve.*\): `ssh nobody"),
        (REFUSES, nothing, r"cannot reach refuses \(.*Permission denied.*\): `ssh refuses true`"),
        (f"{THERE}:/no/python", nothing, r"there has no /no/python: name one, as in there:/opt"),
        (f"{THERE}:/bin/cat", nothing, r"/bin/cat on there does not run the agent \(.*\)"),
        (THERE, no_wrk, r"wrk-of-nobody is not installed on there"),
    ],
)
def test_what_is_missing_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    given: str,
    change: Callable[[pytest.MonkeyPatch], None],
    said: str,
) -> None:
    change(monkeypatch)
    wanted = SiteScenario(
        name="far",
        title="Far away",
        contenders=("aiohttp-memory-one",),
        tasks=("ugly",),
        hosts=Hosts(generator=given),
    )
    began = time.monotonic()
    with pytest.raises(RaceError) as raised:
        GeneratorHost(wanted)
    assert re.fullmatch(f"{said}.*", str(raised.value))
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Welcome", "`ssh there true` prints text"),
        ("2026", "`ssh there true` prints text"),
        ('{"refused": "no /proc"}', "there does not run the agent (no /proc): it needs Linux"),
    ],
)
def test_another_first_line_is_one_line(
    monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setenv(SSH, shlex.join(["sh", "-c", f"echo {shlex.quote(text)}"]))
    with pytest.raises(RaceError, match=f"^{re.escape(said)}"):
        Host(THERE)
