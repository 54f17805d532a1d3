"""Runs of a generator that are no measurement."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from race import load as generators
from race.discipline import Broken
from race.errors import CellFailed, NotReady
from race.load.drive import drive
from race.load.generator import LoadResult, Target
from race.load.wrk import Wrk
from race.machine.proc import cpu_ns
from race.machine.process import Child
from race.saved.model import Load

TARGET = Target("http://127.0.0.1:1", "/ugly")

# Prints wrk's line when it is interrupted, as if it had driven for so many microseconds.
INTERRUPTED = """
import signal, sys
line = 'json: {"requests": 9, "duration_us": %s, "bytes": 9, "errors": {}, "cpu_us": 7}'
line %= sys.argv[1]
signal.signal(signal.SIGINT, lambda *_: (print(line), sys.exit()))
while True:
    signal.pause()
"""


class Begun(Wrk):
    """A generator that had so many microseconds left when it was interrupted."""

    def __init__(self, microseconds: int) -> None:
        self.microseconds = microseconds

    def command(self, target: Target, load: Load) -> list[str]:
        return [sys.executable, "-c", INTERRUPTED, str(self.microseconds)]


@pytest.fixture
def server() -> Iterator[Child]:
    child = Child([sys.executable, "-c", "import signal; signal.pause()"])
    yield child
    child.end()


def test_a_generator_that_had_only_just_begun_is_no_measurement(
    server: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Load("wrk", 1, 1, 1, None, 1.5)
    monkeypatch.setattr(generators, "find", lambda name: Begun(100_000))
    with pytest.raises(NotReady, match="wrk began too late"):
        drive(TARGET, load, server, frozenset())
    monkeypatch.setattr(generators, "find", lambda name: Begun(1_400_000))
    sample = drive(TARGET, load, server, frozenset()).sample
    assert sample.seconds == 1.4
    # All that it used but the 7 us that it says were the load.
    assert sample.cpu_ns["generator"] - sample.beside_ns["generator"] == 7000


@pytest.fixture
def mortal() -> Iterator[Child]:
    """A server that dies within a second."""
    child = Child([sys.executable, "-c", "import time; time.sleep(1); raise SystemExit(3)"])
    yield child
    child.end()


@pytest.mark.parametrize("seconds", [5.0, 5.5])
def test_a_server_that_dies_leaves_the_result_until_then(
    seconds: float, mortal: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the CPU time that it used, which the meters read after the load."""
    monkeypatch.setattr(generators, "find", lambda name: Begun(250_000))
    with pytest.raises(Broken, match="server ended with code 3") as caught:
        drive(TARGET, Load("wrk", 1, 1, 1, None, seconds), mortal, frozenset())
    assert (caught.value.sample.count, caught.value.sample.seconds) == (9, 0.25)
    assert caught.value.sample.cpu_ns["generator"] > 0
    assert cpu_ns(mortal.pid) > 0


def test_a_server_that_dies_is_the_reason_also_without_a_result(
    mortal: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Begun):
        def parse(self, output: str, load: Load) -> LoadResult:
            raise ValueError("nothing")

    monkeypatch.setattr(generators, "find", lambda name: Silent(0))
    with pytest.raises(CellFailed, match="server ended with code 3") as caught:
        drive(TARGET, Load("wrk", 1, 1, 1, None, 5.0), mortal, frozenset())
    assert not isinstance(caught.value, Broken)
