"""Children of the harness: waited for without polling, ended whatever they do."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from race.errors import RaceError
from race.machine import process
from race.machine.process import Child, wait_first

STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pid = os.fork()
if pid:
    print(pid, flush=True)
time.sleep(60)
"""


CHATTY = """
import sys, time
for _ in range(40):
    print("x" * 500_000, file=sys.stderr)
    time.sleep(0.02)
print("last", file=sys.stderr)
"""


def python(code: str, *, pipe_output: bool = False) -> Child:
    return Child([sys.executable, "-c", code], pipe_output=pipe_output)


def test_output_and_last_words() -> None:
    child = python("import sys; print('x' * 200_000); print('a\\nlast', file=sys.stderr)")
    assert wait_first([child], 10) is child
    assert str(child.exit()) == "ended with code 0"
    assert len(child.output()) == 200_001
    assert child.complaint() == "last"
    child.end()


def test_a_line_is_shown_up_to_a_length() -> None:
    child = python("import sys; sys.stderr.write('y' * 10_000)")
    assert wait_first([child], 10) is child
    assert [child.complaint()] == child.log(5) == [f"{'y' * 300}…"]
    child.end()


@pytest.mark.parametrize("watched", [True, False], ids=["waited for", "at rest"])
def test_a_log_without_end_takes_no_memory_without_end(
    watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LOOK_SECONDS", 0.02)
    child, other = python(CHATTY), python("import time; time.sleep(60)")
    try:
        most = 0
        while child.running():
            wait_first([child if watched else other], 0.05)
            most = max(most, os.fstat(child._stderr.fileno()).st_size)
        assert 0 < most < 12_000_000  # of 20
        assert child.complaint() == "last"
    finally:
        child.end()
        other.end()


def test_a_child_needs_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/no such folder")
    child = python("import sys; print('said'); print('told', file=sys.stderr)")
    wait_first([child], 10)
    assert (child.output(), child.complaint()) == ("said\n", "told")
    child.end()


def test_the_first_to_end_is_found_at_once() -> None:
    slow, quick = python("import time; time.sleep(60)"), python("pass")
    try:
        assert wait_first([slow, quick], 10) is quick
        assert slow.running()
        assert not quick.running()
        assert wait_first([slow], 0.05) is None
    finally:
        slow.end()
        quick.end()


def test_a_line_is_waited_for_only_so_long() -> None:
    silent = python("import time; time.sleep(60)", pipe_output=True)
    gone = python("pass", pipe_output=True)
    try:
        began = time.monotonic()
        assert silent.read_line(0.1) is None
        assert gone.read_line(10) is None
        assert time.monotonic() - began < 5
    finally:
        silent.end()
        gone.end()


def test_lines_go_to_and_fro() -> None:
    code = "import sys\nfor line in sys.stdin: print(len(line), 'x' * 100_000, flush=True)"
    echo = Child([sys.executable, "-c", code], pipe_output=True, pipe_input=True)
    try:
        for size in (3, 500_000, 7):
            assert echo.tell("y" * size, 10)
            assert echo.read_line(10) == f"{size + 1} {'x' * 100_000}"
    finally:
        echo.end()


def test_who_does_not_listen_is_told_only_so_long() -> None:
    deaf = Child([sys.executable, "-c", "import time; time.sleep(60)"], pipe_input=True)
    gone = Child([sys.executable, "-c", "pass"], pipe_input=True)
    try:
        assert not deaf.tell("x" * 1_000_000, 0.2)
        assert wait_first([gone], 10) is gone
        assert not gone.tell("x", 1)
    finally:
        deaf.end()
        gone.end()


def test_who_ignores_sigterm_is_killed_with_its_children() -> None:
    child = python(STUBBORN, pipe_output=True)
    grandchild = int(child.read_line(10) or 0)
    child.end(timeout=0.2)
    assert not child.running()
    deadline = time.monotonic() + 5
    while _state(grandchild) not in ("", "Z"):
        assert time.monotonic() < deadline, "the grandchild lives on"
    child.end()  # a second time does nothing


def test_a_child_runs_on_the_cores_it_was_given() -> None:
    core = max(os.sched_getaffinity(0))
    code = "import os; print(sorted(os.sched_getaffinity(0)))"
    child = Child([sys.executable, "-c", code], frozenset([core]))
    wait_first([child], 10)
    assert child.output().strip() == f"[{core}]"
    child.end()


def test_how_a_child_was_killed_is_said() -> None:
    child = python("import os; os.kill(os.getpid(), 9)")
    wait_first([child], 10)
    assert child.exit().signal is signal.SIGKILL
    assert child.last_words() == "killed by SIGKILL"
    assert _state(child.pid) == "Z"  # its CPU time can still be read
    child.end()
    assert child.exit().signal is signal.SIGKILL


def test_a_word_that_no_program_can_be_given_is_one_line() -> None:
    with pytest.raises(RaceError, match="cannot start true: embedded null"):
        Child(["true", "a\0b"])


def test_a_program_that_does_not_exist_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("race.machine.process._prefix", lambda cores: [])
    with pytest.raises(RaceError, match="cannot start no-such-program: No such file"):
        Child(["no-such-program"])


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
