"""After a cell that the machine disturbed the race waits until it is quiet, and not for ever."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from race.errors import Disturbed
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
    assert waiting.left <= 0
    waiting.new_round()
    assert waiting.left == 20


def test_without_patience_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    wait(monkeypatch, Looks([], 1.0), replace(LIMITS, quiet_wait_s=0))


def test_nothing_to_see_is_nothing_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wait(monkeypatch, Looks([{}], 1.0)).left == 20


def test_only_the_machine_is_waited_for() -> None:
    waiting = QuietWait(LIMITS, dict, 20)
    assert waiting.disturbed(BAD) == "steal 30.0% is over 2.0%"
    assert waiting.disturbed(replace(BAD, meters={"cores": QUIET})) is None
    assert waiting.disturbed(replace(BAD, status="failed")) is None


def test_a_second_disturbed_round_in_a_row_asks_for_a_pause() -> None:
    waiting, good = QuietWait(LIMITS, dict), replace(BAD, status="failed")
    lost, half = [BAD, BAD, good], [BAD, good]
    assert [waiting.needs_pause(cells) for cells in (lost, half, lost)] == [None] * 3
    assert waiting.needs_pause(lost) == "steal 30.0% is over 2.0%"


def test_a_pause_ends_the_race_unless_it_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    for seen, clock in (([BUSY, QUIET], 3.0), ([BUSY] * 9, 6.0)):
        looks = Looks(seen, 1.0)
        monkeypatch.setattr(quiet, "time", looks)
        waiting = QuietWait(replace(LIMITS, pause_s=5), looks)
        if QUIET in seen:
            waiting.pause()
        else:
            with pytest.raises(Disturbed):
                waiting.pause()
        assert looks.clock == clock
