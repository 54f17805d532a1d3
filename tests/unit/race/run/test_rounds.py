"""Which cells are run: a calibration first, disturbed ones again, capacities before fixed rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from race.discipline import Subject
from race.errors import Disturbed
from race.plan.contenders import TWIN_MARK, with_twins
from race.plan.forecast import Plan
from race.plan.order import Planned, key_of
from race.run.cell import Cells, failed
from race.run.learned import Learned
from race.run.quiet import CoreReading, QuietWait
from race.run.rounds import Rounds
from race.saved.head import Head
from race.saved.model import CALIBRATION, Cell, Figures
from race.saved.reader import load
from race.saved.writer import Writer
from race.terminal.board import Plain
from tests.support import records, toy

STOLEN = {"cores": {"steal": 0.3, "foreign": 0.0}}
EVERYONE = ("fast", "slow", "slow" + TWIN_MARK)


@dataclass(frozen=True)
class Spoiled(Cells):
    """Stands for the measuring alone: what was asked for, and the cells of a (round, label) that
    are spoiled so many times.
    """

    spoiled: dict[tuple[int, str], int] = field(default_factory=dict)
    seen: list[tuple[int, str, float | None]] = field(default_factory=list)
    dropped: list[tuple[int, str]] = field(default_factory=list)

    def discard(self, subject: Subject, planned: Planned) -> None:
        """Only that it was asked for."""
        self.dropped.append((planned.round, planned.contender.label))

    def calibrate(self, subject: Subject, planned: Planned) -> Cell:
        """Like any other, and never spoiled."""
        return self.run(subject, planned)

    def run(self, subject: Subject, planned: Planned) -> Cell:
        """A cell with the speed its toy has."""
        spot = (planned.round, planned.contender.label)
        self.seen.append((*spot, planned.work.load.rate))
        speed = toy.SPEEDS[planned.contender.name]
        cell = replace(failed(planned, "steal"), throughput=speed, status="invalid", meters=STOLEN)
        if self.spoiled.get(spot):
            self.spoiled[spot] -= 1
            return cell
        return replace(cell, status="ok", reason=None)


@dataclass
class Ran:
    """A race of toys: what counts of it, what was measured and saved, what was said."""

    head: Head
    cells: Sequence[Cell]
    seen: Sequence[tuple[int, str, float | None]]
    saved: Sequence[Cell]
    said: Sequence[str]
    dropped: Sequence[tuple[int, str]]


def race(
    folder: Path,
    spoiled: dict[tuple[int, str], int] | None = None,
    toys: toy.Toys | None = None,
    look: CoreReading = dict,
    before: Sequence[Cell] = (),
    **changes: Any,
) -> Ran:
    """Run all of it, or what is left after some cells."""
    toys, chosen = toys or toy.Toys(), toy.scenario(**changes)
    contenders = with_twins(chosen, toys.choose(chosen).contenders)
    plan = Plan(toys, chosen, contenders, [])
    cells = Spoiled(chosen, Learned(), spoiled or {})
    head = records.head(*contenders)
    with Writer(folder / "r", head) as writer:
        board = Plain(Console(quiet=True), head.discipline, 1)
        quiet = QuietWait(chosen.limits, look)
        done = {key_of(cell): cell for cell in before}
        tries = Counter(key_of(cell) for cell in before)
        rounds = Rounds(plan, toys.start, cells, writer, board, quiet, done, tries)
        rounds.run()
        saved = load(folder / "r").cells
        return Ran(
            writer.head,
            list(rounds.done.values()),
            cells.seen,
            saved,
            toys.said,
            sorted(cells.dropped),
        )


def test_every_round_has_every_cell_once_after_a_calibration(tmp_path: Path) -> None:
    ran = race(tmp_path)
    found = sorted((cell.round, cell.label) for cell in ran.cells)
    assert found == [(number, label) for number in (CALIBRATION, 1, 2) for label in EVERYONE]
    assert ran.head.finished_at is not None


def test_subjects_are_started_once_and_one_is_active_at_a_time(tmp_path: Path) -> None:
    toys = toy.Toys()
    race(tmp_path, toys=toys, rounds=3)
    assert sorted(one for one in toys.said if one.startswith("start")) == [
        f"start {label}" for label in EVERYONE
    ]
    active: list[str] = []
    for verb, name in (one.split()[:2] for one in toys.said):
        if verb in ("start", "resume"):
            assert active == [], toys.said
            active.append(name)
        elif verb == "pause":
            active.remove(name)
    assert [one.split()[0] for one in toys.said[-3:]] == ["close"] * 3


def test_who_is_restarted_drops_its_first_cell(tmp_path: Path) -> None:
    toys = toy.Toys()
    ran = race(tmp_path, toys=toys, restart=2, rounds=5)
    assert toys.said.count("start fast") == toys.said.count("close fast") == 3
    assert ran.dropped == [(number, label) for number in (3, 5) for label in EVERYONE]
    assert len([cell for cell in ran.saved if cell.label == "fast"]) == 6


def test_a_disturbed_cell_is_measured_again_at_the_end_of_its_round(tmp_path: Path) -> None:
    ran = race(tmp_path, {(1, "fast"): 1})
    assert {cell.status for cell in ran.cells} == {"ok"}
    rounds = [number for number, _, _ in ran.seen]
    assert rounds == [0] * 3 + [1] * 4 + [2] * 3
    assert ran.seen[6] == (1, "fast", None)
    # Both are kept; the one that does not count says why.
    mine = [cell for cell in ran.saved if (cell.round, cell.label) == (1, "fast")]
    assert [(cell.status, cell.reason) for cell in mine] == [("invalid", "steal"), ("ok", None)]


def test_cells_are_measured_again_only_so_often(tmp_path: Path) -> None:
    ran = race(tmp_path, {(1, "slow"): 9})
    assert [one[:2] for one in ran.seen].count((1, "slow")) == 1 + 2
    assert [cell.status for cell in ran.cells if (cell.round, cell.label) == (1, "slow")] == [
        "invalid"
    ]


def test_a_time_limit_leaves_no_room_for_cells_again(tmp_path: Path) -> None:
    ran = race(tmp_path, {(1, "slow"): 9}, time_limit_s=1e-6)
    assert [one[:2] for one in ran.seen].count((1, "slow")) == 1


def test_who_died_is_started_again_and_its_first_cell_is_dropped(tmp_path: Path) -> None:
    @dataclass
    class Mortal(toy.Toys):
        dead: bool = False

        def start(self, contender: Any) -> toy.Toy:
            found = super().start(contender)
            if contender.label == "fast" and not self.dead:
                self.dead, found.living = True, False
            return found

    toys = Mortal()
    ran = race(tmp_path, toys=toys)
    assert toys.said.count("start fast") == 2
    assert ran.dropped == [(1, "fast")]
    assert len([cell for cell in ran.saved if cell.label == "fast"]) == 3


def test_who_does_not_start_is_asked_once_a_round(tmp_path: Path) -> None:
    toys = toy.Toys(broken={"fast"})
    ran = race(tmp_path, toys=toys, tasks=["run", "jump"])
    assert toys.said.count("start fast") == 3
    lost = [cell for cell in ran.cells if cell.label == "fast"]
    assert {(cell.status, cell.reason) for cell in lost} == {("failed", "it does not start")}
    assert len(lost) == 2 * 3


def test_a_resumed_race_goes_on_with_the_connections_it_had_found(tmp_path: Path) -> None:
    found = [
        replace(cell, connections_used={"fast": 100, "slow": 400}.get(cell.label, 200))
        for cell in race(tmp_path).cells
    ]
    learned = Learned()
    learned.remember(found)
    assert list(learned.connections.values()) == [400]
    assert list(learned.connections) == ["run"]


def test_fixed_rates_come_from_the_first_round_and_stay(tmp_path: Path) -> None:
    load = {"rates_of_slowest": [0.5], "rates_of_own": [0.9]}
    ran = race(tmp_path, {(2, "fast"): 1}, load=load)
    rates = [{one[1:] for one in ran.seen if one[0] == number} for number in range(4)]
    everyone = {(label, None) for label in EVERYONE}
    fixed = {("fast", 500.0), ("fast", 3600.0)}
    fixed |= {(label, rate) for label in EVERYONE[1:] for rate in (500.0, 900.0)}
    # The calibration, the round that finds the capacities, and two of fixed rates.
    assert rates == [everyone, everyone, fixed, fixed]


def test_closed_loops_go_on_beside_a_fixed_rate_where_asked(tmp_path: Path) -> None:
    load = {"rates_of_slowest": [0.5], "closed_too": True}
    ran = race(tmp_path, load=load)
    rates = [{one[1:] for one in ran.seen if one[0] == number} for number in range(4)]
    everyone = {(label, None) for label in EVERYONE}
    both = everyone | {(label, 500.0) for label in EVERYONE}
    assert rates == [everyone, everyone, both, both]


def test_after_a_disturbed_cell_the_machine_is_looked_at(tmp_path: Path) -> None:
    looked = []

    def look() -> Figures:
        looked.append(1)
        return {"steal": 0.0, "foreign": 0.0}

    limits = {"steal": 0.02, "foreign": 1.0, "quiet_wait_s": 5}
    race(tmp_path, spoiled={(1, "fast"): 1}, look=look, limits=limits)
    assert len(looked) == 1


def test_a_race_ends_after_two_disturbed_rounds_and_keeps_its_cells(tmp_path: Path) -> None:
    spoiled = {(number, label): 9 for number in (2, 3) for label in EVERYONE}
    limits = {"steal": 0.02, "reruns": 0, "pause_s": 0}
    with pytest.raises(Disturbed):
        race(tmp_path, spoiled, rounds=9, limits=limits)
    kept = load(tmp_path / "r")
    assert [cell.round for cell in kept.cells] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert kept.head.finished_at is None


def test_a_resumed_race_does_not_measure_again_what_had_its_tries(tmp_path: Path) -> None:
    """The race was interrupted in its second round, when the first one was over."""
    before = [
        cell
        for cell in race(tmp_path, {(1, "slow"): 9, (2, "fast"): 2}).saved
        if cell.round < 2 or cell.label == "fast"
    ]
    assert [cell.label for cell in before if cell.round == 1].count("slow") == 3
    kept = before[:-2]  # its first try, and no other
    assert [cell.label for cell in kept if cell.round == 2] == ["fast"]
    ran = race(tmp_path / "again", {(2, "fast"): 9}, before=kept)
    measured = [one[:2] for one in ran.seen]
    assert measured.count((1, "slow")) == 0
    assert measured.count((2, "fast")) == 2
    assert sorted(set(measured)) == [(2, label) for label in EVERYONE]
