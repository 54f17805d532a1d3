"""No server, generator or database outlives the harness or the test that started it."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from databases import private
from race.machine import guard
from race.run import race
from runtime.child import GUARD, unguarded
from runtime.paths import ROOT
from tests.support.faults.marked import MARK, marked, new_mark, wait_until_none_is_left
from tests.support.race_lab import Race, scenario
from tests.support.site_server import Databases, until

STARTS = """
import sys, time
from race.machine.process import Child
says = "print" in sys.argv[1]
child = Child([sys.executable, "-c", sys.argv[1]], pipe_output=says)
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
    with new_mark() as made:
        yield made


def with_child(mark: str) -> list[int]:
    """Wait for a process and its child; one that begins a new program shows no environment."""

    def both() -> list[int]:
        found = marked(mark)
        return found if len(found) > 1 else []

    found: list[int] = until(both, 20.0, "it started no process")
    return found


def killed(words: list[str], mark: str, **more: str) -> None:
    """Start a program that says when it has started, and kill it then."""
    env = {**unguarded(), **more, MARK: mark}
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, env=env) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.endswith(b"started\n"):
                break
        with_child(mark)
        process.kill()


@pytest.mark.parametrize("code", [STUBBORN, STOPPED], ids=["stubborn", "stopped"])
def test_a_stubborn_or_stopped_child_does_not_outlive_its_parent(code: str, mark: str) -> None:
    killed([sys.executable, "-c", STARTS, code], mark)
    wait_until_none_is_left(mark)


def test_a_child_before_its_program_does_not_outlive_its_parent(tmp_path: Path, mark: str) -> None:
    program = tmp_path / "setpriv"
    program.write_text(SLOW)
    program.chmod(0o755)
    killed([sys.executable, "-c", STARTS, "pass"], mark, PATH=f"{tmp_path}:{os.environ['PATH']}")
    wait_until_none_is_left(mark)


def test_a_forked_copy_does_not_outlive_its_parent(mark: str) -> None:
    killed([sys.executable, "-c", COPY], mark)
    wait_until_none_is_left(mark)


def test_no_server_outlives_a_test_that_is_killed(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "test_one.py"
    path.write_text(TEST)
    words = ["-m", "pytest", "-s", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    killed([sys.executable, *words, "-c", str(ROOT / "pyproject.toml"), str(path)], mark)
    wait_until_none_is_left(mark)


def test_a_guard_ends_no_process_of_another_harness(mark: str) -> None:
    words = [sys.executable, "-c", STARTS, "import time; time.sleep(60)"]
    env = {**unguarded(), MARK: mark}
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, env=env) as other:
        assert other.stdout is not None
        other.stdout.readline()
        before = set(with_child(mark))
        killed(words, another := secrets.token_hex(8))
        wait_until_none_is_left(another)
        assert set(marked(mark)) == before
        other.kill()
    wait_until_none_is_left(mark)


def test_the_guard_marks_an_environment_that_was_put_back_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guard.up()
    words = os.environ[GUARD]
    monkeypatch.setenv(GUARD, "another")
    guard.up()
    guard.up()
    assert os.environ[GUARD] == f"another {words.split()[-1]}"


def test_a_private_database_is_not_guarded(databases: Databases) -> None:
    guard.up()
    assert os.environ[GUARD]
    databases.hold("tarantool")
    with databases._here():
        handle = private.join("tarantool")
        pid = handle.pid
        handle.leave()
    assert f"\0{GUARD}=" not in "\0" + Path(f"/proc/{pid}/environ").read_text()


def test_no_process_outlives_a_race_that_is_killed(tmp_path: Path, mark: str) -> None:
    """The race has servers, a generator, a link and a database; tests/long kills at any time."""
    path = scenario(tmp_path, ["aiohttp-tarantool-one"], ["vote"])
    path.write_text("link = [1]\n" + path.read_text())
    env = {**unguarded(), "VAR_DIR": str(tmp_path / "var"), MARK: mark}
    with Race(["run", str(path)], tmp_path / "results", env, before=os.setsid) as race:
        race.child("wrk_scripts")
        race.process.kill()
        race.process.wait()
        wait_until_none_is_left(mark)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_signal_interrupts_a_race_once(number: signal.Signals) -> None:
    heard = 0
    with race.interruptible():
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            heard += 1
        os.kill(os.getpid(), number)  # meanwhile
    assert heard == 1


def test_a_race_under_nohup_ignores_sighup() -> None:
    before: Callable[..., object] | int | None = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with race.interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
