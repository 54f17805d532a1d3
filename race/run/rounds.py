"""A race from its first round to its last: a calibration, then rounds of cells.

The calibration is round 0: short loads that find the connections that a task needs. It is also what
warms up every contender that was just started; nothing of it counts. A cell that the machine
disturbed is measured again at the end of its round, and the next one waits for a quiet moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime

from race.discipline import Start
from race.errors import CellFailed
from race.plan.clock import Clock
from race.plan.contenders import TWIN_MARK
from race.plan.forecast import Plan
from race.plan.order import CellKey, Planned, in_turn, key_of, shuffled
from race.plan.works import open_works
from race.run.cell import Cells, failed
from race.run.hosts import Hosts
from race.run.quiet import QuietWait
from race.saved.model import CALIBRATION, Cell, Work
from race.saved.writer import Writer
from race.terminal.board import Board


@dataclass
class Rounds:
    """Runs the cells that are not done yet.

    In a resumed race `done` holds the cells that it has already and `tries` how often each was
    measured.
    """

    plan: Plan
    start: Start
    cells: Cells
    writer: Writer
    board: Board
    quiet: QuietWait
    done: dict[CellKey, Cell] = field(default_factory=dict)
    tries: Counter[CellKey] = field(default_factory=Counter)
    _clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        """Start the clock."""
        self._clock = Clock(self.plan, self.done.values())

    def run(self) -> None:
        """Run all rounds; whatever happens, end all subjects.

        Raises Disturbed when the machine does not let cells count.
        """
        with closing(Hosts(self.start)) as hosts:
            for number in range(CALIBRATION, self.plan.rounds + 1):
                hosts.clear_refusals()
                if self.plan.scenario.starts_anew(number):
                    hosts.close()
                before = self.tries.total()
                self._round(number, hosts)
                if self.tries.total() > before and number < self.plan.rounds:
                    self._pause_if_disturbed(number)
        self.writer.finish(datetime.now(UTC).isoformat(timespec="seconds"))

    def _round(self, number: int, hosts: Hosts) -> None:
        order = self._order(number)
        self.board.round(number, self.plan.rounds)
        self.quiet.new_round()
        self._run([one for one in order if one.key not in self.done], hosts)
        if number == CALIBRATION:
            return
        while bad := [one for one in order if self._again(one)]:
            if not self._in_time(len(bad)):
                return
            self.board.again(len(bad), str(self.done[bad[0].key].reason))
            self._clock.again(len(bad))
            self._run(bad, hosts)

    def _order(self, number: int) -> list[Planned]:
        works, contenders = self._works(number), self.plan.contenders
        if self.plan.scenario.order == "contenders":
            return in_turn(works, contenders, number)
        first = 1 + self.plan.scenario.open_loop
        return shuffled(works, contenders, self.writer.head.seed, number, first)

    def _pause_if_disturbed(self, number: int) -> None:
        cells = [cell for cell in self.done.values() if cell.round == number]
        if why := self.quiet.needs_pause(cells):
            self.board.waiting(f"two rounds were lost, {why}", self.quiet.limits.pause_s)
            self.quiet.pause()

    def _works(self, number: int) -> Mapping[str, Sequence[Work]]:
        """Return the works of a round; the first one finds the capacities of the rates."""
        scenario, contenders = self.plan.scenario, self.plan.contenders
        closed = self.plan.works
        if number <= 1 or not scenario.open_loop:
            return {one.label: self.plan.able(one, closed) for one in contenders}
        capacity = capacities(self.done.values())
        beside = closed if scenario.load.closed_too else []
        return {
            one.label: self.plan.able(one, [*beside, *open_works(scenario, one, capacity)])
            for one in contenders
        }

    def _run(self, cells: Iterable[Planned], hosts: Hosts) -> None:
        for one in cells:
            self.board.cell(one)
            cell = self._cell(one, hosts)
            self.writer.add(cell)
            self.done[key_of(cell)] = cell
            self.tries[key_of(cell)] += 1
            self._clock.did(cell)
            self.board.result(cell)
            if (why := self.quiet.disturbed(cell)) and self.quiet.left > 0:
                self.board.waiting(why, self.quiet.left)
                self.quiet.wait()

    def _cell(self, one: Planned, hosts: Hosts) -> Cell:
        try:
            host = hosts.activate(one.contender)
        except CellFailed as failure:
            return failed(one, str(failure))
        fresh, host.fresh = host.fresh, False
        if one.calibrates:
            return self.cells.calibrate(host.subject, one)
        if fresh:
            # The first cell after a start is slower than the others.
            self.cells.discard(host.subject, one)
        return self.cells.run(host.subject, one)

    def _again(self, one: Planned) -> bool:
        """Return whether a cell that was measured is to be measured again."""
        invalid = self.done[one.key].status == "invalid"
        return invalid and self.tries[one.key] <= self.plan.scenario.limits.reruns

    def _in_time(self, more: int) -> bool:
        """Return whether so many cells beyond the planned ones fit into the time limit."""
        limit = self.plan.scenario.time_limit_s
        return limit is None or self._clock.spent() + self._clock.left(more) <= limit


def capacities(found: Iterable[Cell]) -> dict[tuple[str, str], float]:
    """Return the units/s at saturation by (label, task), from the first round.

    Only that round counts, so that all later rounds and a resumed race offer the same rates.
    """
    rates = {}
    for cell in found:
        closed = cell.load.closed and cell.load.pipeline == 1
        known = cell.status in ("ok", "invalid") and cell.throughput
        if cell.round == 1 and closed and known and TWIN_MARK not in cell.label:
            rates[cell.label, cell.task] = known
    return rates
