"""Which rounds are run: invalid ones again at the end, capacities before fixed rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from race.machine.cores import assign
from race.plan import scenario
from race.plan.order import TWIN_MARK
from race.run import cell as cells
from race.run import rounds as runner
from race.run.arena import Arena
from race.run.rounds import Runner
from race.saved.model import Cell, Contender, Head
from race.saved.writer import Recorder
from race.terminal.board import Plain
from race.web.databases import Databases

CONTENDERS = [Contender("fast", "fast", "3"), Contender("slow", "slow", "3"),
              Contender("slow" + TWIN_MARK, "slow", "3", aa=True)]  # fmt: skip
RATES = {"fast": 4000.0, "slow": 1000.0}


@dataclass
class Measured:
    """Stands for the measuring alone: what was asked for, and cells spoiled by (round, label)."""

    spoiled: set[tuple[int, str]] = field(default_factory=set)
    seen: list[tuple[int, str, float | None]] = field(default_factory=list)

    def run(self, arena: Arena, server: Any, place: cells.Place) -> tuple[Cell, dict[str, Any]]:
        """A cell with the rate its engine has."""
        block, load = place.block, place.work.load
        self.seen.append((block.round, block.contender.label, load.rate))
        bad = (block.round, block.contender.label) in self.spoiled
        cell = replace(cells.blank(place, "3"), rps=RATES[block.contender.engine])
        if bad:
            return replace(cell, status="invalid", reason="steal"), {}
        return replace(cell, status="ok"), {}


def race(
    folder: Path, monkeypatch: pytest.MonkeyPatch, measured: Measured, **changes: Any
) -> tuple[Head, Sequence[Cell]]:
    least: dict[str, Any] = {"name": "x", "title": "t", "engines": ["*"], "pages": ["good"],
                             "rounds": 2, "validity": {"reruns": 2}}  # fmt: skip
    chosen = scenario.from_json({**least, **changes})
    head = Head("r", chosen.as_json(), 3, "t", None, [], {}, CONTENDERS, "slow")
    monkeypatch.setattr(cells, "run", measured.run)
    monkeypatch.setattr(runner._Host, "server", lambda host: None)
    monkeypatch.setattr(runner, "database_of", lambda scenario, engine: None)
    arena = Arena(chosen, assign([0]), Databases())
    board = Plain(Console(quiet=True), 1, 1)
    done: dict[Any, Cell] = {}
    with Recorder(folder / "r", head) as recorder:
        Runner(arena, recorder, board, CONTENDERS, done).run()
        return recorder.head, list(done.values())


def test_every_round_has_every_cell_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Measured()
    head, found = race(tmp_path, monkeypatch, measured)
    assert len(found) == 2 * 2 * 3
    assert head.rejected == []
    assert head.finished_at is not None


def test_an_invalid_round_runs_again_whole_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = Measured(spoiled={(1, "fast")})
    head, found = race(tmp_path, monkeypatch, measured)
    assert [(one.round, one.reason[:13]) for one in head.rejected] == [(1, "fast on good:")]
    assert [sum(cell.round == number for cell in found) for number in (1, 2, 3)] == [6, 6, 6]


def test_rounds_run_again_only_so_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Measured(spoiled={(number, "slow") for number in range(1, 20)})
    head, found = race(tmp_path, monkeypatch, measured)
    assert len(head.rejected) == 2
    assert max(cell.round for cell in found) == 4


def test_a_resumed_race_goes_on_with_the_connections_it_had_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = race(tmp_path, monkeypatch, Measured())
    found = [replace(cell, connections_used=200 * cell.round) for cell in found]
    arena = Arena(scenario.load("quick"), assign([0]), Databases())
    arena.remember(found)
    assert {label for label, _ in arena.connections} == {one.label for one in CONTENDERS}
    assert set(arena.connections.values()) == {200}


def test_a_time_limit_leaves_no_room_for_another_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = Measured(spoiled={(1, "slow")})
    head, _ = race(tmp_path, monkeypatch, measured, time_limit_s=0.0)
    assert head.rejected == []


def test_fixed_rates_come_from_the_first_round_and_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = Measured(spoiled={(1, "fast"), (2, "fast")})
    load = {"rates_of_slowest": [0.5], "rates_of_own": [0.9]}
    race(tmp_path, monkeypatch, measured, load=load)
    rates = [{one[1:] for one in measured.seen if one[0] == number} for number in range(1, 6)]
    everyone = {("fast", None), ("slow", None), ("slow (A/A)", None)}
    fixed = {("fast", 500.0), ("fast", 3600.0), ("slow", 500.0), ("slow", 900.0),
             ("slow (A/A)", 500.0), ("slow (A/A)", 900.0)}  # fmt: skip
    # Two rounds and the one before them; then the two spoiled ones again, each as what it was.
    assert rates == [everyone, fixed, fixed, everyone, fixed]


def test_a_server_that_does_not_start_fails_every_cell_of_its_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = scenario.from_json({"name": "x", "title": "t", "engines": ["none"],
                                 "pages": ["ugly", "about"], "rounds": 1,
                                 "programs": {"none": {"command": ["false"]}}})  # fmt: skip
    one = Contender("none", "none", "3")
    head = Head("r", chosen.as_json(), 3, "t", None, [], {}, [one], "none")
    done: dict[Any, Cell] = {}
    with Recorder(tmp_path / "r", head) as recorder:
        board = Plain(Console(quiet=True), 1, 1)
        Runner(Arena(chosen, assign([0]), Databases()), recorder, board, [one], done).run()
    assert len(done) == 4
    assert {(cell.status, cell.reason) for cell in done.values()} == {
        ("failed", "server ended with code 1")
    }
