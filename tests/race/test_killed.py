"""Whoever started them is killed, and nobody is left: neither server nor generator nor database."""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from databases import private
from race.machine import guard
from race.run import race
from runtime.child import GUARD, unguarded
from runtime.paths import ROOT
from tests.support.race_lab import Race, scenario
from tests.support.site_server import Databases, until

GONE_SECONDS = 20.0
"""A database that nobody uses any more stays for a moment, then closes its log of changes."""
MOMENTS = int(os.environ.get("MOMENTS", "4"))
CELLS, CELL_SECONDS = 6, 3.0
"""Of a race, and of what is before its first cell."""
MARK = "TEST_KILLED"

STARTS = """
import sys, time
from race.machine.process import Child
says = "print" in sys.argv[1]
child = Child([sys.executable, "-c", sys.argv[1]], talks=says)
if says:
    child.read_line(60)
print("started", flush=True)
time.sleep(60)
"""
STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if not os.fork():
    os.setsid()
    print("ready", flush=True)
time.sleep(60)
"""
STOPPED = """
import os, signal, time
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(60)
"""
COPY = """
import os, time
from race.machine import guard
guard.up()
if os.fork():
    print("started", flush=True)
time.sleep(60)
"""
SLOW = """#!/bin/sh
sleep 1
exec sleep 60
"""
TEST = """
import time
from race.machine.process import Child
from tests.support.site_server import SiteServer, environment

def test_it():
    server = SiteServer("aiohttp-memory-one", environment())
    print("started", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def mark() -> Iterator[str]:
    """What all below a process have in their environment; none of them outlives the test."""
    made = secrets.token_hex(8)
    yield made
    for pid in left(made):
        os.kill(pid, signal.SIGKILL)


def left(mark: str) -> list[int]:
    """Who has the mark."""
    word, found = f"{MARK}={mark}".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if word in variables:
            found.append(int(path.parent.name))
    return found


def nobody_is_left(mark: str) -> None:
    """Within some seconds."""
    deadline = time.monotonic() + GONE_SECONDS
    while found := left(mark):
        words = {pid: words_of(pid) for pid in found}
        assert time.monotonic() < deadline, f"still there: {words}"
        time.sleep(0.1)


def with_child(mark: str) -> list[int]:
    """Two at least, within some seconds: who begins a new program shows no environment."""

    def both() -> list[int]:
        found = left(mark)
        return found if len(found) > 1 else []

    found: list[int] = until(both, GONE_SECONDS, "it started nobody")
    return found


def words_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def killed(words: list[str], mark: str, **more: str) -> None:
    """Kill a program once it says that it has started."""
    env = {**unguarded(), **more, MARK: mark}
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, env=env) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.endswith(b"started\n"):
                break
        with_child(mark)
        process.kill()


@pytest.mark.parametrize("code", [STUBBORN, STOPPED], ids=["stubborn", "stopped"])
def test_nobody_outlives_who_started_him(code: str, mark: str) -> None:
    killed([sys.executable, "-c", STARTS, code], mark)
    nobody_is_left(mark)


def test_who_had_not_asked_for_a_signal_yet_does_not_live_on(tmp_path: Path, mark: str) -> None:
    """The harness dies while its child is on the way to its program."""
    program = tmp_path / "setpriv"
    program.write_text(SLOW)
    program.chmod(0o755)
    killed([sys.executable, "-c", STARTS, "pass"], mark, PATH=f"{tmp_path}:{os.environ['PATH']}")
    nobody_is_left(mark)


def test_who_was_forked_and_runs_no_program_of_its_own_does_not_live_on(mark: str) -> None:
    killed([sys.executable, "-c", COPY], mark)
    nobody_is_left(mark)


def test_no_server_outlives_a_test_that_is_killed(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "test_one.py"
    path.write_text(TEST)
    words = ["-m", "pytest", "-s", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    killed([sys.executable, *words, "-c", str(ROOT / "pyproject.toml"), str(path)], mark)
    nobody_is_left(mark)


def test_a_guard_ends_none_of_another_harness(mark: str) -> None:
    words = [sys.executable, "-c", STARTS, "import time; time.sleep(60)"]
    env = {**unguarded(), MARK: mark}
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, env=env) as other:
        assert other.stdout is not None
        other.stdout.readline()
        before = set(with_child(mark))
        killed(words, another := secrets.token_hex(8))
        nobody_is_left(another)
        assert set(left(mark)) == before
        other.kill()
    nobody_is_left(mark)


def test_the_word_is_there_again_where_the_environment_was_put_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guard.up()
    words = os.environ[GUARD]
    monkeypatch.setenv(GUARD, "another")
    guard.up()
    guard.up()
    assert os.environ[GUARD] == f"another {words.split()[-1]}"


def test_a_database_has_a_life_of_its_own(databases: Databases) -> None:
    guard.up()
    assert os.environ[GUARD]
    databases.hold("tarantool")
    with databases._here():
        handle = private.join("tarantool")
        pid = handle.pid
        handle.leave()
    assert f"\0{GUARD}=" not in "\0" + Path(f"/proc/{pid}/environ").read_text()


def by_id(lab: Race) -> None:
    """The process alone."""
    lab.process.kill()


def by_group(lab: Race) -> None:
    """With all that a shell would take for it."""
    os.killpg(lab.process.pid, signal.SIGKILL)


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_no_child_outlives_a_race_that_is_killed_at_any_moment(
    moment: int, tmp_path: Path, mark: str
) -> None:
    """MOMENTS=50 for as many."""
    chance = random.Random(moment)  # noqa: S311 - the same moments each time
    kill: Callable[[Race], None] = chance.choice([by_id, by_group])
    cells, after = chance.randrange(CELLS), chance.uniform(0, CELL_SECONDS)
    path = scenario(tmp_path, ["aiohttp-tarantool-one"], ["vote"])
    path.write_text("link = [0, 1]\n" + path.read_text())
    env = {**unguarded(), "VAR_DIR": str(tmp_path / "var"), MARK: mark}
    with Race(["run", str(path)], tmp_path / "results", env, before=os.setsid) as lab:
        until(lambda: left(mark), 5, "it did not start")
        lab.wait_for_cells(cells)
        deadline = time.monotonic() + after
        while time.monotonic() < deadline and lab.process.poll() is None:
            time.sleep(0.01)
        kill(lab)
        lab.process.wait()
        nobody_is_left(mark)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_race_tidies_up_after_each_signal(number: signal.Signals) -> None:
    heard = 0
    with race.interruptible():
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            heard += 1
        os.kill(os.getpid(), number)  # meanwhile
    assert heard == 1


def test_nohup_is_heeded() -> None:
    before: Callable[..., object] | int | None = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with race.interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
