"""Which rounds are run: invalid ones again at the end, capacities before fixed rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from rich.console import Console

from race.discipline import Subject
from race.plan.contenders import TWIN_MARK, with_twin
from race.plan.forecast import Plan
from race.plan.order import Planned
from race.run.cell import Cells, failed
from race.run.learned import Learned
from race.run.rounds import Rounds
from race.saved.model import Cell, Head
from race.saved.writer import Writer
from race.terminal.board import Plain
from tests.support import records, toy

EVERYONE = ("fast", "slow", "slow" + TWIN_MARK)


@dataclass(frozen=True)
class Spoiled(Cells):
    """Stands for the measuring alone: what was asked for, and cells spoiled by (round, label)."""

    spoiled: frozenset[tuple[int, str]] = frozenset()
    seen: list[tuple[int, str, float | None]] = field(default_factory=list)

    def run(self, subject: Subject, planned: Planned) -> Cell:
        """A cell with the speed its toy has."""
        number, contender = planned.block.round, planned.contender
        self.seen.append((number, contender.label, planned.work.load.rate))
        speed = toy.SPEEDS[contender.name]
        cell = replace(failed(planned, "steal"), throughput=speed, status="invalid")
        if (number, contender.label) in self.spoiled:
            return cell
        return replace(cell, status="ok", reason=None)


@dataclass
class Ran:
    """A race of toys, and what was measured in it."""

    head: Head
    cells: Sequence[Cell]
    seen: Sequence[tuple[int, str, float | None]]


def race(folder: Path, spoiled: set[tuple[int, str]] | None = None, **changes: Any) -> Ran:
    """Run all of it."""
    toys, chosen = toy.Toys(), toy.scenario(**changes)
    contenders = with_twin(chosen, toys.choose(chosen).contenders)
    plan = Plan(toys, chosen, contenders, [])
    cells = Spoiled(chosen, Learned(), frozenset(spoiled or ()))
    head = records.head(*contenders)
    with Writer(folder / "r", head) as writer:
        board = Plain(Console(quiet=True), head.discipline, 1, 1)
        rounds = Rounds(plan, toys.start, cells, writer, board)
        rounds.run()
        return Ran(writer.head, list(rounds.done.values()), cells.seen)


def test_every_round_has_every_cell_twice(tmp_path: Path) -> None:
    ran = race(tmp_path)
    assert len(ran.cells) == 2 * 2 * 3
    assert ran.head.rejected == []
    assert ran.head.finished_at is not None


def test_an_invalid_round_runs_again_whole_and_at_the_end(tmp_path: Path) -> None:
    ran = race(tmp_path, {(1, "fast")})
    assert [(one.round, one.reason) for one in ran.head.rejected] == [
        (1, "fast on run: steal (and 1 more cells)")
    ]
    assert [sum(cell.round == number for cell in ran.cells) for number in (1, 2, 3)] == [6, 6, 6]


def test_rounds_run_again_only_so_often(tmp_path: Path) -> None:
    ran = race(tmp_path, {(number, "slow") for number in range(1, 20)})
    assert len(ran.head.rejected) == 2
    assert max(cell.round for cell in ran.cells) == 4


def test_a_resumed_race_goes_on_with_the_connections_it_had_found(tmp_path: Path) -> None:
    found = [replace(cell, connections_used=200 * cell.round) for cell in race(tmp_path).cells]
    learned = Learned()
    learned.remember(found)
    assert {label for label, _ in learned.connections} == set(EVERYONE)
    assert set(learned.connections.values()) == {200}


def test_a_time_limit_leaves_no_room_for_another_round(tmp_path: Path) -> None:
    assert race(tmp_path, {(1, "slow")}, time_limit_s=1e-6).head.rejected == []


def test_fixed_rates_come_from_the_first_round_and_stay(tmp_path: Path) -> None:
    load = {"rates_of_slowest": [0.5], "rates_of_own": [0.9]}
    ran = race(tmp_path, {(1, "fast"), (2, "fast")}, load=load)
    rates = [{one[1:] for one in ran.seen if one[0] == number} for number in range(1, 6)]
    everyone = {(label, None) for label in EVERYONE}
    fixed = {("fast", 500.0), ("fast", 3600.0)}
    fixed |= {(label, rate) for label in EVERYONE[1:] for rate in (500.0, 900.0)}
    # Two rounds and the one before them; then the two spoiled ones again, each as what it was.
    assert rates == [everyone, fixed, fixed, everyone, fixed]
