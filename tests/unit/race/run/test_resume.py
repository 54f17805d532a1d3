"""A race that is interrupted and resumed is, cell by cell, the one that was not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from race.errors import RaceError
from race.plan.contenders import with_twins
from race.plan.forecast import Plan
from race.plan.order import CellKey
from race.run import race, rules
from race.saved.model import Cell
from race.saved.reader import load
from race.saved.writer import Writer
from race.terminal.board import Board, Boards, Plain
from tests.support import records, toy

SPEEDS = {"fast": 4000.0, "lazy": 100.0, "snail": 20.0}
SHOWN = ("round", "label", "status", "reason", "fault", "driven_s", "count")


def boards(stop_after: int) -> Boards:
    """Ctrl-C after so many cells; 0: never."""

    class Stopping(Plain):
        left = stop_after

        def result(self, cell: Cell) -> None:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    @contextmanager
    def made(plan: Plan, writer: Writer, done: Mapping[CellKey, Cell]) -> Iterator[Board]:
        yield Stopping(Console(quiet=True), writer.head.discipline, 1)

    return made


def carried_out(folder: Path, *stops: int) -> list[tuple[Any, ...]]:
    """The saved cells of a race of toys that was interrupted after each number of cells."""
    for stop in (*stops, 0):
        # New toys for each, which remember nothing; one of them always makes errors.
        toys = toy.Toys(speeds=dict(SPEEDS), errors={"fast": 100})
        chosen = toy.scenario(rounds=3)
        plan = Plan(toys, chosen, with_twins(chosen, toys.choose(chosen).contenders), [])
        head = records.head(*plan.contenders)
        try:
            race.run(folder, head, plan, boards(stop))
        except KeyboardInterrupt:
            assert stop
    return [tuple(getattr(cell, name) for name in SHOWN) for cell in load(folder).cells]


def test_a_race_takes_the_connections_that_its_head_has(tmp_path: Path) -> None:
    toys, chosen = toy.Toys(), toy.scenario()
    plan = Plan(toys, chosen, with_twins(chosen, toys.choose(chosen).contenders), [])
    race.run(tmp_path, records.head(*plan.contenders, connections={"run": 32}), plan, boards(0))
    assert {cell.connections_used for cell in load(tmp_path).cells} == {32}
    fewer = race.alike(plan, records.head(*plan.contenders[1:]))
    assert list(fewer.contenders) == list(plan.contenders[1:])
    with pytest.raises(RaceError, match="r raced gone, which cannot run here"):
        race.alike(plan, records.head(records.contender("gone")))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    return carried_out(tmp_path_factory.mktemp("whole") / "r")


def test_the_whole_race_has_faults_to_remember(whole: list[tuple[Any, ...]]) -> None:
    assert {fault for *_, fault, _, _ in whole} == {None, "once", "too slow"}
    reasons = [str(reason) for _, _, _, reason, *_ in whole]
    assert sum(reason.startswith("again: ") for reason in reasons) == 6
    assert sum(reason.startswith("too slow") for reason in reasons) == 3


@pytest.mark.parametrize("stops", [(4,), (5,), (6,), (7,), (8,), (9,), (12,), (2, 6, 3)])
def test_a_resumed_race_goes_on_as_the_interrupted_one_would_have(
    stops: tuple[int, ...], whole: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    assert carried_out(tmp_path / "r", *stops) == whole


def test_cells_of_a_disturbed_machine_are_not_tried_more_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those of the round that was interrupted nor those of the rounds before."""
    monkeypatch.setattr(rules, "disturbances", lambda limits, cores: ["steal"])
    at_once = carried_out(tmp_path / "whole")
    assert len(at_once) == 4 + 3 * 3 * 4
    assert carried_out(tmp_path / "r", 6, 12, 9) == at_once
