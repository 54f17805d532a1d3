"""A runner that does not answer is one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import psutil
import pytest

from race.errors import CellFailed
from race.saved.model import Contender
from race.web.databases import Databases
from toolbench import runner_process, subject
from toolbench.runner_process import RunnerProcess
from toolbench.shared import PARTIES, Shared
from toolbench.timeouts import TIMEOUTS
from toolbench.tool import TRANSPORT

ANSWERS = """
import os, signal, sys, time
sys.stdin.readline()
{}
"""


@pytest.fixture
def runner() -> Iterator[Callable[[str], RunnerProcess]]:
    """Start a runner that does something else than it is asked to."""
    before = psutil.Process().children()
    made: list[RunnerProcess] = []

    def start(code: str) -> RunnerProcess:
        made.append(RunnerProcess([sys.executable, "-c", ANSWERS.format(code)], frozenset()))
        return made[-1]

    yield start
    for one in made:
        one.child.end()
    assert psutil.Process().children() == before


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("sys.exit('it is over')", "driver ended with code 1 (it is over)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "driver killed by SIGKILL"),
        ("time.sleep(60)", "driver did not answer to check within 0.5 s"),
        ("""print('"hm"', flush=True)""", "driver said '\"hm\"' instead of an answer"),
        ("""print('{"error": "it failed"}', flush=True)""", "it failed"),
    ],
)
def test_a_runner_that_does_not_answer_is_one_line(
    runner: Callable[[str], RunnerProcess],
    code: str,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "sleep" in code:
        monkeypatch.setattr(runner_process, "TIMEOUTS", TIMEOUTS._replace(exit=0.1))
    one = runner(code)
    with pytest.raises(CellFailed) as raised:
        one.ask({"do": "check"}, 0.5 if "sleep" in code else 30.0)
    assert str(raised.value) == line


def test_a_driver_that_cannot_connect_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody@127.0.0.1:1/some")
    before = psutil.Process().children()
    contender = Contender(label="asyncpg", name="asyncpg", factors={TRANSPORT: "tcp"})
    layout = {party: frozenset[int]() for party in PARTIES}
    with pytest.raises(CellFailed, match="Connect"):
        subject.start(contender, Shared(Databases()), layout)
    assert psutil.Process().children() == before
