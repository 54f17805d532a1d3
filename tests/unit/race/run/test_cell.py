"""One cell of a subject that can be anything: checked, warmed up, metered, driven, judged."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from rich.console import Console

from race.discipline import Broken, Party, Sample
from race.errors import CellFailed, NotReady
from race.machine.meters import METERS
from race.plan.contenders import with_twins
from race.plan.forecast import Plan
from race.plan.order import Planned
from race.run.cell import Cells
from race.run.learned import Learned
from race.run.measure import measure
from race.run.quiet import QuietWait
from race.run.rounds import Rounds
from race.saved.model import Cell, Work
from race.saved.writer import Writer
from race.terminal.board import Plain
from tests.support import records, toy

RUN = Work("run", records.LOAD)


def planned(name: str, **load: Any) -> Planned:
    """A cell of the first round."""
    work = Work(
        "run",
        msgspec.structs.replace(records.LOAD, **{"duration_s": 1.0, "connections": 4, **load}),
    )
    return Planned(1, 0, records.contender(name), work)


def run(toys: toy.Toys, name: str, cells: Cells | None = None, **load: Any) -> Cell:
    """The cell of a toy."""
    cells = cells or Cells(toy.scenario())
    return cells.run(toys.start(records.contender(name)), planned(name, **load))


def test_a_cell_is_checked_warmed_up_driven_and_checked_again() -> None:
    toys = toy.Toys()
    cell = run(toys, "fast")
    assert toys.said == [
        "start fast",
        "check fast run",
        "drive fast run 0.5",
        "drive fast run 0.5",
        "drive fast run 1",
        "check fast run",
    ]
    assert (cell.status, cell.reason) == ("ok", None)
    assert (cell.count, cell.seconds, cell.throughput) == (4000, 1.0, 4000.0)
    assert cell.facts == {"wheels": 4}
    assert cell.warm_up is not None
    assert (cell.warm_up.windows, cell.warm_up.agreed) == (2, True)
    assert set(cell.meters) == set(METERS)
    assert cell.meters["cpu_ns"]["harness"] > 0


def test_what_is_wrong_or_breaks_is_a_failed_cell_with_its_reason() -> None:
    assert run(toy.Toys(wrong={"fast"}), "fast").reason == "run is wrong"
    cell = run(toy.Toys(fatal={"fast"}), "fast")
    assert (cell.status, cell.reason, cell.throughput) == ("failed", "it broke", None)


def test_what_was_wrong_only_after_the_load_keeps_its_figures() -> None:
    toys = toy.Toys()

    class Worn(toy.Toy):
        def drive(self, work: Work) -> Sample:
            if work.load.duration_s == 1.0:
                self.toys.wrong.add(self.name)
            return super().drive(work)

    cell = Cells(toy.scenario()).run(Worn("fast", toys), planned("fast"))
    assert (cell.status, cell.reason) == ("failed", "run is wrong")
    assert (cell.count, cell.throughput, cell.facts) == (4000, 4000.0, {"wheels": 4})


@pytest.mark.parametrize(("answered", "kept"), [(15.0, True), (4.0, False)])
def test_a_pipelined_cell_has_a_latency_where_its_connections_were_answered(
    answered: float, kept: bool
) -> None:
    class Deep(toy.Toy):
        def drive(self, work: Work) -> Sample:
            seen = super().drive(work)
            latency = {"mean": 900.0, "p50": 800.0}
            return Sample(
                seen.count,
                seen.seconds,
                latency_us=latency,
                histogram=[(831.0, 9)],
                busy_connections=answered,
            )

    one = planned("fast", connections=16, pipeline=24)
    cell = Cells(toy.scenario(load={"max_connections": 16})).run(Deep("fast", toy.Toys()), one)
    assert (cell.status, cell.busy_connections) == ("ok", answered)
    assert (bool(cell.latency_us), bool(cell.histogram)) == (kept, kept)
    expected = None if kept else "4 of 16 connections were being answered"
    assert cell.no_latency == expected


def test_a_fault_is_invalid_once_and_a_failure_the_second_time() -> None:
    toys, cells = toy.Toys(errors={"fast": 100}), Cells(toy.scenario())
    first, second = (run(toys, "fast", cells) for _ in range(2))
    assert first.status == "invalid"
    assert "2.44% errors (odd most)" in str(first.reason)
    assert second.status == "failed"
    assert str(second.reason).startswith("again: 2.44% errors")
    for cell in (first, second):
        assert (cell.throughput, cell.errors) == (4000.0, {"odd": 100})


def test_who_does_not_keep_up_with_a_rate_is_overloaded_at_once() -> None:
    cell = run(toy.Toys(errors={"fast": 100}), "fast", rate=4100.0)
    assert cell.status == "overloaded"
    assert str(cell.reason).startswith("did not keep up with 4,100/s: 2.44% errors")
    assert (cell.throughput, cell.errors) == (4000.0, {"odd": 100})
    assert cell.meters["cpu_ns"]["harness"] > 0


def test_a_cell_too_short_for_its_subject_is_made_longer_once() -> None:
    toys, cells = toy.Toys(speeds={"lazy": 100.0}), Cells(toy.scenario())
    for _ in range(2):
        cell = run(toys, "lazy", cells)
        assert (cell.status, cell.seconds) == ("ok", 2.4)
        assert cell.load.duration_s == 1.0
    assert cells.learned.seconds == {("lazy", planned("lazy").work): 2.4}


def test_who_is_too_slow_for_any_length_fails_once_with_what_to_do() -> None:
    toys, cells = toy.Toys(speeds={"snail": 20.0}), Cells(toy.scenario())
    expected = "too slow for this duration: 80 in 4.0 s, where 200 are needed: try --duration 12"
    for measured in (80, None, None):
        cell = run(toys, "snail", cells)
        assert (cell.status, cell.reason, cell.count) == ("failed", expected, measured)
    assert toys.said.count("drive snail run 4") == 1
    still = run(toy.Toys(speeds={"stone": 0.0}), "stone")
    assert still.reason == "too slow for this duration: 0 in 4.0 s, where 200 are needed"
    assert (still.count, still.throughput) == (0, 0.0)


def test_a_slow_contender_is_not_measured_again_in_vain(tmp_path: Any) -> None:
    toys, chosen = toy.Toys(speeds={"fast": 4000.0, "snail": 20.0}), toy.scenario(rounds=1)
    contenders = with_twins(chosen, toys.choose(chosen).contenders)
    head = records.head(*contenders)
    with Writer(tmp_path / "r", head) as writer:
        board = Plain(Console(quiet=True), head.discipline, 1)
        plan = Plan(toys, chosen, contenders, [])
        quiet = QuietWait(chosen.limits, dict)
        Rounds(plan, toys.start, Cells(chosen), writer, board, quiet).run()
    assert toys.said.count("drive snail run 4") == 1


def test_nothing_is_learned_of_a_cell_that_is_dropped() -> None:
    toys, cells = toy.Toys(errors={"fast": 100}), Cells(toy.scenario())
    subject = toys.start(records.contender("fast"))
    cells.discard(subject, planned("fast"))
    assert toys.said[-3:] == ["check fast run", "drive fast run 1", "check fast run"]
    assert cells.run(subject, planned("fast")).status == "invalid"  # its first fault
    cells.discard(toys.start(records.contender("slow")), planned("slow"))
    toys.wrong.add("fast")
    cells.discard(subject, planned("fast"))


def test_a_lucky_window_raises_nobody() -> None:
    class Lucky(toy.Toy):
        windows = 0

        def drive(self, work: Work) -> Sample:
            self.windows += 1
            many = 2000 if self.windows == 3 else 1000
            return Sample(many, work.load.duration_s)

    cells = Cells(toy.scenario())
    one = replace(planned("fast", connections=10), round=0)
    subject = Lucky("fast", toy.Toys())
    assert cells.calibrate(subject, one).connections_used == 10
    assert subject.windows == 4


def test_fixed_connections_stay_as_they_are() -> None:
    class Wide(toy.Toy):
        def drive(self, work: Work) -> Sample:
            return Sample(work.load.connections * 100, work.load.duration_s)

    toys, cells = toy.Toys(), Cells(toy.scenario())
    for number in (10, 5):
        fixed = planned("fast", connections=number, fixed=True)
        cell = cells.calibrate(Wide("fast", toys), replace(fixed, round=0))
        assert cell.connections_used == number
    for number in (10, 5):
        fixed = planned("fast", connections=number, fixed=True)
        cell = cells.run(Wide("fast", toys), fixed)
        assert cell.connections_used == number


def test_a_calibration_finds_the_connections_that_anybody_needs() -> None:
    """A toy of which nobody is saturated gets faster with every doubling, up to its number."""

    class Wide(toy.Toy):
        def drive(self, work: Work) -> Sample:
            many = min(work.load.connections, {"fast": 20, "slow": 40}[self.name])
            return Sample(many * 100, work.load.duration_s)

    toys, cells = toy.Toys(), Cells(toy.scenario())
    for name, needed in (("slow", 40), ("fast", 20)):
        one = replace(planned(name, connections=10), round=0)
        cell = cells.calibrate(Wide(name, toys), one)
        assert (cell.round, cell.status, cell.connections_used) == (0, "ok", needed)
        assert cell.load.connections == 10
    after = cells.run(Wide("fast", toys), planned("fast", connections=10))
    assert after.connections_used == 40
    wrong = cells.calibrate(toy.Toy("fast", toy.Toys(wrong={"fast"})), planned("fast"))
    assert (wrong.status, wrong.reason) == ("failed", "run is wrong")


def test_connections_of_another_race_are_taken_as_they_are() -> None:
    class Wide(toy.Toy):
        def drive(self, work: Work) -> Sample:
            return Sample(work.load.connections * 100, work.load.duration_s)

    cells = Cells(toy.scenario(), Learned(given={"run": 20}))
    one = planned("fast", connections=10)
    assert cells.calibrate(Wide("fast", toy.Toys()), replace(one, round=0)).connections_used == 20
    assert cells.run(Wide("fast", toy.Toys()), one).connections_used == 20


def test_who_is_not_ready_gets_longer_and_then_gives_up() -> None:
    lengths: list[float] = []

    class Late(toy.Toy):
        def drive(self, work: Work) -> Sample:
            lengths.append(work.load.duration_s)
            if len(lengths) < 3:
                raise NotReady("not yet")
            return super().drive(work)

    subject = Late("fast", toy.Toys())
    assert measure(subject, {}, RUN).sample.seconds == 8.0
    assert lengths == [2.0, 4.0, 8.0]

    class Never(toy.Toy):
        def drive(self, work: Work) -> Sample:
            raise NotReady("never")

    with pytest.raises(CellFailed, match="wrk was not ready after 8 s"):
        measure(Never("fast", toy.Toys()), {}, RUN)


def test_a_party_that_went_away_fails_the_cell_and_leaves_its_figures() -> None:
    class Moved(toy.Toy):
        """Its database is another process after the cell; this one, before."""

        def parties(self) -> dict[str, Party]:
            driven = any(one.endswith(" 1") for one in self.toys.said)
            return {"toy": Party(None), "database": Party(1 if driven else os.getpid())}

    cell = Cells(toy.scenario()).run(Moved("fast", toy.Toys()), planned("fast"))
    assert (cell.status, cell.reason) == ("failed", "database went away during the cell")
    assert (cell.count, cell.throughput, cell.facts) == (4000, 4000.0, {"wheels": 4})
    # The clock of another process says nothing of the one that is gone.
    assert "harness" in cell.meters["cpu_ns"]
    assert "database" not in cell.meters["cpu_ns"]
    assert cell.warm_up is not None


@pytest.mark.parametrize(("length", "kept"), [(1.0, True), (0.5, False)])
def test_who_dies_in_a_cell_leaves_what_was_seen_of_it(length: float, kept: bool) -> None:
    """A subject that dies in its warm-up leaves nothing, because no cell has begun."""

    class Mortal(toy.Toy):
        def drive(self, work: Work) -> Sample:
            if work.load.duration_s == length:
                raise Broken("it broke", Sample(1500, 0.4, {"read": 7}))
            return super().drive(work)

    toys, cells = toy.Toys(), Cells(toy.scenario())
    cell = cells.run(Mortal("fast", toys), planned("fast"))
    assert (cell.status, cell.reason) == ("failed", "it broke")
    seen = (cell.count, cell.seconds, cell.throughput, cell.errors)
    assert seen == ((1500, 0.4, 3750.0, {"read": 7}) if kept else (None, None, None, {}))
    assert ("cpu_ns" in cell.meters) == kept
    assert toys.said.count("check fast run") == 1
    assert cells.learned.faults == set()


def test_a_cell_that_was_too_short_after_all_lasts_twice_as_long_the_next_time() -> None:
    toys, cells = toy.Toys(), Cells(toy.scenario())
    one, subject = planned("tired"), Tired("tired", toys)
    cells.calibrate(subject, replace(one, round=0))
    found = [cells.run(subject, one) for _ in range(3)]
    assert [cell.status for cell in found] == ["invalid", "ok", "ok"]
    assert found[0].reason == "100 are too few samples (under 200)"
    assert [cell.seconds for cell in found] == [1.0, 2.0, 2.0]


def saved(cell: Cell) -> Cell:
    """Return the cell as it comes back from the disk."""
    return msgspec.json.decode(msgspec.json.encode(cell), type=Cell)


class Tired(toy.Toy):
    """Slower in a cell than its calibration let expect."""

    def drive(self, work: Work) -> Sample:
        seconds = work.load.duration_s
        return Sample(round((400 if seconds < 1 else 100) * seconds), seconds)


def test_a_resumed_race_knows_what_the_interrupted_one_had_learned() -> None:
    toys = toy.Toys(speeds={"snail": 20.0, "lazy": 100.0, "fast": 4000.0}, errors={"odd": 100})
    subjects = {name: toy.Toy(name, toys) for name in ("snail", "lazy", "fast", "odd")}
    subjects["tired"] = Tired("tired", toys)
    cells = Cells(toy.scenario())
    found: list[Cell] = []
    for number in range(3):
        for name, subject in subjects.items():
            one = replace(planned(name), round=number)
            cell = cells.run(subject, one) if number else cells.calibrate(subject, one)
            found.append(saved(cell))
            after = Learned()
            after.remember(found)
            assert after == cells.learned
    learned = cells.learned
    assert {label for label, _ in learned.faults} == {"odd"}
    assert {label for label, _ in learned.too_slow} == {"snail"}
    assert sorted(learned.seconds.values()) == [1.0, 1.0, 2.0, 2.4, 4.0]


def test_a_fault_is_remembered_also_where_the_cell_went_well_later() -> None:
    toys, cells = toy.Toys(errors={"fast": 100}), Cells(toy.scenario())
    first = run(toys, "fast", cells)
    toys.errors.clear()
    found = [saved(first), saved(run(toys, "fast", cells))]
    assert [(cell.status, cell.fault) for cell in found] == [("invalid", "once"), ("ok", None)]
    resumed = Cells(toy.scenario())
    resumed.learned.remember(found)
    toys.errors["fast"] = 100
    assert str(run(toys, "fast", resumed).reason).startswith("again: ")


def test_who_was_too_slow_is_not_driven_again_after_a_resume() -> None:
    toys, cells = toy.Toys(speeds={"snail": 20.0}), Cells(toy.scenario())
    first = saved(run(toys, "snail", cells))
    assert (first.fault, first.driven_s) == ("too slow", 4.0)
    resumed, fresh = Cells(toy.scenario()), toy.Toys(speeds={"snail": 20.0})
    resumed.learned.remember([first])
    again = run(fresh, "snail", resumed)
    assert (again.status, again.reason, again.count) == ("failed", first.reason, None)
    assert fresh.said == ["start snail"]
