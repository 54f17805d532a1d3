"""After a cell that the machine disturbed the race waits until it is quiet, and not for ever."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from race.run import quiet
from race.run.quiet import QuietWait
from race.saved.model import Figures, Limits
from tests.support import records

LIMITS = Limits(steal=0.02, foreign=0.05, quiet_wait_s=20)
BUSY = {"steal": 0.3, "foreign": 0.0}
QUIET = {"steal": 0.0, "foreign": 0.01}
BAD = replace(records.cell("fast"), status="invalid", meters={"cores": BUSY})


class Looks:
    """Readings of the cores, one after another, on a clock that only a reading moves."""

    def __init__(self, seen: list[Figures], seconds: float) -> None:
        self.seen, self.seconds, self.clock = iter(seen), seconds, 0.0

    def __call__(self) -> Figures:
        self.clock += self.seconds
        return next(self.seen)

    def monotonic(self) -> float:
        return self.clock

    def sleep(self, seconds: float) -> None:
        self.clock += seconds


def wait(monkeypatch: pytest.MonkeyPatch, looks: Looks, limits: Limits = LIMITS) -> QuietWait:
    monkeypatch.setattr(quiet, "time", looks)
    waiting = QuietWait(limits, looks)
    waiting.new_round()
    waiting.wait()
    return waiting


def test_it_ends_with_the_disturbance(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks([BUSY, BUSY, QUIET, BUSY], 0.5)
    assert wait(monkeypatch, looks).left == 20 - 2 * 1.5
    assert next(looks.seen) is BUSY


def test_patience_ends_and_is_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks([BUSY] * 100, 3.0)
    waiting = wait(monkeypatch, looks)
    assert 20 <= looks.clock <= 24
    assert waiting.disturbed(BAD) is None
    waiting.new_round()
    assert waiting.disturbed(BAD) == "steal 30.0% is over 2.0%"


def test_without_patience_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    wait(monkeypatch, Looks([], 1.0), replace(LIMITS, quiet_wait_s=0))


def test_nothing_to_see_is_nothing_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wait(monkeypatch, Looks([{}], 1.0)).left == 20


def test_only_the_machine_is_waited_for() -> None:
    waiting = QuietWait(LIMITS, dict, 20)
    assert waiting.disturbed(BAD) is not None
    assert waiting.disturbed(replace(BAD, meters={"cores": QUIET})) is None
    assert waiting.disturbed(replace(BAD, status="failed")) is None
