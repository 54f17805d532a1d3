"""The cores of others: given back to all of them, whatever ended the race."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from race.cli import main
from race.errors import NotSaved
from race.machine import pins
from race.machine.pins import Pins
from runtime.paths import ROOT
from tests.conftest import absent

SERVES = """
import os, signal, sys, threading, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("ready", flush=True)
for line in sys.stdin:
    if line == "thread\\n":
        one = threading.Thread(target=time.sleep, args=[60], daemon=True)
        one.start()
        print(one.native_id, flush=True)
    elif not (pid := os.fork()):
        time.sleep(60)
    else:
        print(pid, flush=True)
"""
PINS = """
import sys, time
from race.machine.pins import Pins
kept = Pins()
kept.pin(int(sys.argv[1]), frozenset([int(sys.argv[2])]))
print("pinned", flush=True)
time.sleep(60)
"""


class Server:
    """A process that starts others when it is asked for."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.line() == "ready"

    @property
    def pid(self) -> int:
        """The id of the main process."""
        return self.process.pid

    def line(self) -> str:
        """Return the next line that the process prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def starts(self, what: str) -> int:
        """Start a thread or a process and return its id."""
        assert self.process.stdin is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return int(self.line())

    def end(self) -> None:
        """Kill the process and everything that it started."""
        os.killpg(self.pid, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "var"))
    if len(os.sched_getaffinity(0)) < 2:
        absent("two cores: with one nothing is pinned")
    made = Server()
    try:
        yield made
    finally:
        made.end()


def cores(pid: int) -> list[int]:
    return sorted(os.sched_getaffinity(pid))


def notes() -> list[Path]:
    return list(pins.folder().glob("*"))


WHOLE = sorted(os.sched_getaffinity(0))
ONE, OTHER = WHOLE[0], WHOLE[-1]


def test_who_was_started_meanwhile_is_given_back_too(server: Server) -> None:
    before = [server.starts("thread"), server.starts("process")]
    found = Pins()
    found.pin(server.pid, frozenset([ONE]))
    meanwhile = [server.starts("thread"), server.starts("process")]
    found.pin(server.pid, frozenset([OTHER]))
    meanwhile.append(server.starts("process"))
    everybody = [server.pid, *before, *meanwhile]
    assert [cores(pid) for pid in everybody] == [[OTHER]] * 6
    found.release()
    assert [cores(pid) for pid in everybody] == [WHOLE] * 6
    assert cores(server.starts("process")) == WHOLE
    assert notes() == []


def test_each_gets_what_it_had(server: Server) -> None:
    own = server.starts("process")
    os.sched_setaffinity(own, [ONE])
    found = Pins()
    found.pin(server.pid, frozenset([ONE]))
    found.pin(server.pid, frozenset([OTHER]))
    found.release()
    assert (cores(own), cores(server.pid)) == ([ONE], WHOLE)


def test_what_somebody_else_has_set_meanwhile_stays(server: Server) -> None:
    found = Pins()
    found.pin(server.pid, frozenset([ONE]))
    os.sched_setaffinity(server.pid, [OTHER])
    found.release()
    assert cores(server.pid) == [OTHER]


def test_the_next_command_gives_back_what_a_killed_race_has_pinned(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["list", "--json", "--results", str(tmp_path)]
    words = [sys.executable, "-c", PINS, str(server.pid), str(ONE)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as harness:
        assert harness.stdout is not None
        assert harness.stdout.readline() == b"pinned\n"
        meanwhile = server.starts("process")
        assert main(command) == 0
        assert cores(meanwhile) == [ONE]  # of a race that runs
        harness.kill()
    assert cores(meanwhile) == [ONE]
    assert main(command) == 0
    assert [cores(server.pid), cores(meanwhile)] == [WHOLE, WHOLE]
    assert notes() == []


@pytest.mark.parametrize("wrong", ["boot", "since", "damaged"])
def test_a_number_that_is_anothers_by_now_is_left_alone(wrong: str, server: Server) -> None:
    found = Pins()
    found.pin(server.pid, frozenset([ONE]))
    note = found._note
    note.harness = 2**30
    if wrong == "boot":
        note.boot = "another"
    elif wrong == "since":
        note.processes[0].since -= 1
    found._save()
    if wrong == "damaged":
        notes()[0].write_text("{")
    pins.restore_left()
    assert cores(server.pid) == [ONE]
    assert notes() == []


def test_what_may_not_be_changed_now_is_left_for_who_may(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Pins()
    found.pin(server.pid, frozenset([ONE]))
    found._note.harness = 2**30
    found._save()
    with monkeypatch.context() as patch:
        patch.setattr(os, "sched_setaffinity", refused)
        pins.restore_left()
    assert len(notes()) == 1
    pins.restore_left()
    assert (cores(server.pid), notes()) == (WHOLE, [])


def refused(pid: int, cores: object) -> None:
    raise PermissionError


def test_nothing_is_pinned_that_cannot_be_noted(server: Server, tmp_path: Path) -> None:
    (tmp_path / "var").write_text("")
    with pytest.raises(NotSaved, match=r"^cannot note what is pinned in .*: Not a directory$"):
        Pins().pin(server.pid, frozenset([ONE]))
    assert cores(server.pid) == WHOLE


def test_without_cores_or_a_process_nothing_is_noted(server: Server) -> None:
    for pid, where in ((server.pid, frozenset[int]()), (None, frozenset([ONE]))):
        Pins().pin(pid, where)
    assert cores(server.pid) == WHOLE
    assert notes() == []
