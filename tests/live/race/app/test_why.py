"""`race why` and `race capacity` on an application that knows nothing of this project."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from race.cli import main
from race.machine.process import Child
from race.why import profiler, syscalls
from race.why.record import load
from tests.conftest import absent
from tests.live.race.app.test_app import SHOP, file
from tests.support.race_lab import Race

PLANTED = """
def planted():
    end = time.thread_time() + 0.0008
    while time.thread_time() < end:
        pass

"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


@pytest.fixture
def planted(shop: Path) -> str:
    """A race of the shop with one that has a slow function."""
    path = shop / "shop.py"
    text = path.read_text().replace("async def items", f"{PLANTED}async def items", 1)
    begin = text.index("        end = time.thread_time() + 0.0008\n        while")
    end = text.index("    page = int(")
    path.write_text(f"{text[:begin]}        planted()\n{text[end:]}")
    return file(shop, "slow")


def test_a_planted_slow_function_is_named_first_and_in_the_report(planted: str, shop: Path) -> None:
    if missing := profiler.missing():
        absent(missing)
    results = shop / "results"
    with Race(["run", planted, "--requests", "list"], results) as race:
        assert race.wait() == 0, race.text()
        folder = race.saved_race().folder
    words = ["why", str(folder), "--rounds", "3", "--seed", "1"]
    with Race(words, results) as race:
        assert race.wait() == 0, race.text()
        assert "The function that differs most: planted (shop.py) (+" in race.text()
        assert race.children() == []
    saved = load(folder)
    assert saved is not None
    assert len(saved.cells) == 6
    assert "planted (shop.py)" in (folder / "report.html").read_text()


CALLER = """
import os, sys
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(1000):
        os.getppid()
    print("done", flush=True)
"""


def test_system_calls_of_a_program_are_counted_and_it_lives_on() -> None:
    if shutil.which(syscalls.NAME) is None:
        absent(f"{syscalls.NAME} is not installed: apt-get install {syscalls.NAME}")
    # Its child is counted too.
    shell = [sys.executable, "-c", CALLER]
    child = Child(["sh", "-c", '"$0" "$@"; exit', *shell], pipe_output=True, pipe_input=True)
    try:
        assert child.read_line(10) == "ready"
        with syscalls.counting(child.pid, frozenset()) as counter:
            for _ in range(2):
                assert child.tell("now", 5)
                assert child.read_line(30) == "done"
            found = counter.counts()
        assert found["getppid"] == 2000
        assert child.tell("again", 5)
        assert child.read_line(10) == "done"
    finally:
        child.end()


def test_who_may_not_count_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process has one tracer: another one is refused as someone without the right is."""
    if shutil.which(syscalls.NAME) is None:
        absent(f"{syscalls.NAME} is not installed: apt-get install {syscalls.NAME}")
    child = Child(["cat"], pipe_input=True)
    try:
        with (
            syscalls.counting(child.pid, frozenset()),
            pytest.raises(syscalls.CannotCount, match=r"not permitted; run as root, in a cont"),
            syscalls.counting(child.pid, frozenset()),
        ):
            pytest.fail("a second one counts")
    finally:
        child.end()
    monkeypatch.setenv("PATH", "/nowhere")
    with (
        pytest.raises(syscalls.CannotCount, match="not installed: apt-get install strace"),
        syscalls.counting(1, frozenset()),
    ):
        pytest.fail("nothing counts")


def test_a_wrong_name_is_one_line(
    planted: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = str(shop / "results")
    with Race(["run", planted, "--requests", "list", "--rounds", "1"], shop / "results") as race:
        assert race.wait() in (0, 3), race.text()
    for words, said in (
        (["latest", "plain", "slower"], "unknown server 'slower'"),
        (["latest", "--task", "lists"], "unknown request 'lists'"),
        (["nothing"], "unknown race 'nothing'"),
    ):
        assert main(["why", *words, "--results", results]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line
    for words in (["--within", "10s"], ["--within", "150s", "--duration", "9s"]):
        assert main(["capacity", planted, *words, "--results", results]) == 2
        # Where nothing drives at fixed rates, the line says what to install.
        assert re.search("0 s are too short|vegeta is not installed", capsys.readouterr().err)
