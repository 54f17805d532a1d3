"""The time left comes from the race's own cells, and until it has some from the plan."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from race.plan import clock
from race.plan.clock import Clock
from race.plan.forecast import CELL_SECONDS, START_SECONDS, Plan
from race.saved.model import Cell, Work
from race.terminal.phrases import forecast_text
from tests.support import records, toy

CONTENDERS = [records.contender("a"), records.contender("b")]
SLOW = 3.0


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as the only item."""
    found = [100.0]
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: found[0]))
    return found


def plan(restart: int = 0, rounds: int = 10) -> Plan:
    chosen = toy.scenario(tasks=["run", "jump"], restart=restart, rounds=rounds)
    return Plan(toy.Toys(), chosen, CONTENDERS, [])


def cells(chosen: Plan, rounds: range) -> list[Cell]:
    return [
        records.cell(one.label, round=number, task=work.task, load=work.load)
        for number in rounds
        for one in CONTENDERS
        for work in chosen.works
    ]


def took(cell: Cell) -> float:
    """A calibration takes one second, a cell of b three, of a one and a half."""
    return 1.0 if not cell.round else SLOW if cell.label == "b" else SLOW / 2


def test_a_forecast_adds_up() -> None:
    once, anew = plan(), plan(restart=1)
    assert once.kinds().total() == once.cells + once.calibrations == 44
    starts = 9 * 2 * (START_SECONDS + once.works[0].load.duration_s)
    assert anew.seconds() - once.seconds() == pytest.approx(starts)
    warmup = once.scenario.warmup
    driving = 4 * min(2, warmup.windows) * warmup.calibration_s
    driving += 40 * (min(2, warmup.windows) * warmup.window_s + once.works[0].load.duration_s)
    assert once.seconds() == pytest.approx(driving + 44 * CELL_SECONDS + 2 * START_SECONDS)
    assert forecast_text(once).startswith("at least ")


def test_after_a_round_the_time_left_is_what_its_cells_took(moment: list[float]) -> None:
    chosen = plan()
    found = Clock(chosen)
    assert found.left() == pytest.approx(chosen.seconds(), rel=0.02)
    for cell in cells(chosen, range(2)):
        moment[0] += took(cell)
        found.did(cell)
    assert found.left() == pytest.approx(9 * 2 * (SLOW + SLOW / 2))
    moment[0] += 3
    before = found.left()
    assert before == pytest.approx(9 * 2 * (SLOW + SLOW / 2) - 3)
    assert found.left(more=4) > before + 4
    found.again(4)
    assert found.left() > before + 4
    assert found.spent() == pytest.approx(moment[0] - 100)


def test_a_resumed_race_has_less_left(moment: list[float]) -> None:
    chosen = plan()
    done = cells(chosen, range(6))
    left = sum(chosen.expected(one.round, one.load) for one in cells(chosen, range(6, 11)))
    assert Clock(chosen, done).left() == pytest.approx(left)


def test_kinds_that_have_not_run_go_by_how_slow_the_others_were(moment: list[float]) -> None:
    chosen = plan(rounds=40)
    found = Clock(chosen)
    mine = [one for one in cells(chosen, range(1, 41)) if one.label == "a"]
    for cell in mine:
        moment[0] += 2 * chosen.expected(cell.round, cell.load)
        found.did(cell)
    others = [one for one in cells(chosen, range(41)) if one.label == "b" or not one.round]
    left = sum(chosen.expected(one.round, one.load) for one in others)
    assert 1.7 * left < found.left() < 2 * left


def test_cells_at_any_fixed_rate_are_one_kind() -> None:
    chosen = Plan(toy.Toys(), toy.scenario(load={"rates": [100.0, 200.0]}), CONTENDERS, [])
    planned = chosen.kinds()
    rated = {kind: count for kind, count in planned.items() if kind[-1]}
    assert set(rated.values()) == {2 * chosen.scenario.rounds}
    work: Work = chosen.works[0]
    assert planned[(False, "a", work.task, 1, work.load.connections, False)] == 1
