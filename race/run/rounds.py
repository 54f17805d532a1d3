"""A race from its first round to its last: blocks in order, invalid rounds again at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from race.discipline import Start, Subject
from race.errors import CellFailed
from race.plan.contenders import TWIN_MARK
from race.plan.forecast import Plan
from race.plan.order import Block, CellKey, Planned, key_of, planned, shuffled
from race.plan.works import open_works
from race.run.cell import Cells, failed
from race.saved.model import Cell, Contender, Work
from race.saved.writer import Writer
from race.terminal.board import Board


@dataclass
class Rounds:
    """Runs what is not done yet; `done` holds the cells that a resumed race has already."""

    plan: Plan
    start: Start
    cells: Cells
    writer: Writer
    board: Board
    done: dict[CellKey, Cell] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """All rounds, then one more for each that was invalid, within the scenario's limits."""
        number = 1
        while number <= self._last():
            self._round(number)
            self._judge(number)
            number += 1
        self.writer.finish(datetime.now(UTC).isoformat(timespec="seconds"))

    def _last(self) -> int:
        return self.plan.rounds + len(self.writer.head.rejected)

    def _round(self, number: int) -> None:
        works = self._works(number)
        self.board.round(number, self._last())
        for block in shuffled(works, self.plan.contenders, self.writer.head.seed, number):
            self._block(block)

    def _works(self, number: int) -> Mapping[str, Sequence[Work]]:
        scenario, contenders = self.plan.scenario, self.plan.contenders
        if self._original(number) == 1 or not scenario.open_loop:
            closed = self.plan.works
            return {one.label: closed for one in contenders}
        capacity = capacities(self.done.values())
        return {one.label: open_works(scenario, one, capacity) for one in contenders}

    def _original(self, number: int) -> int:
        """The planned round that a round is, or repeats."""
        while number > self.plan.rounds:
            number = self.writer.head.rejected[number - self.plan.rounds - 1].round
        return number

    def _block(self, block: Block) -> None:
        """One subject from start to end; when it dies, the next cell gets a new one."""
        host = _Host(self.start, block.contender)
        try:
            for one in planned(block):
                if one.key not in self.done:
                    self.board.cell(block, one.work)
                    self._save(self._cell(host, one))
        finally:
            host.close()

    def _cell(self, host: _Host, one: Planned) -> Cell:
        try:
            subject = host.subject()
        except CellFailed as failure:
            return failed(one, str(failure))
        return self.cells.run(subject, one)

    def _save(self, cell: Cell) -> None:
        self.writer.add(cell)
        self.done[key_of(cell)] = cell
        self.board.result(cell)

    def _judge(self, number: int) -> None:
        """Reject a round with an invalid cell, as long as there is room for another one."""
        rejected = self.writer.head.rejected
        bad = [c for c in self.done.values() if c.round == number and c.status == "invalid"]
        if not bad or any(one.round == number for one in rejected):
            return
        reason = f"{bad[0].label} on {bad[0].task}: {bad[0].reason}"
        if len(bad) > 1:
            reason += f" (and {len(bad) - 1} more cells)"
        again = len(rejected) < self.plan.scenario.limits.reruns and self._in_time()
        self.board.invalid_round(number, reason, again)
        if again:
            self.writer.reject(number, reason)

    def _in_time(self) -> bool:
        """Whether one more round fits into the scenario's time limit."""
        limit = self.plan.scenario.time_limit_s
        spent = time.monotonic() - self._began
        return limit is None or spent * (1 + 1 / self.plan.rounds) <= limit


@dataclass
class _Host:
    """The subject of a block, started when first needed and again after it died."""

    start: Start
    contender: Contender
    _subject: Subject | None = None
    _refusal: str = ""

    def subject(self) -> Subject:
        """A living subject; CellFailed when it does not start, for the rest of the block."""
        if self._refusal:
            raise CellFailed(self._refusal)
        if self._subject is not None and self._subject.alive():
            return self._subject
        self.close()
        try:
            self._subject = self.start(self.contender)
        except CellFailed as failure:
            self._refusal = str(failure)
            raise
        return self._subject

    def close(self) -> None:
        """End it, if there is one."""
        subject, self._subject = self._subject, None
        if subject is not None:
            subject.close()


def capacities(found: Iterable[Cell]) -> dict[tuple[str, str], float]:
    """Units/s at saturation by (label, task): the means of the first round.

    Of that round alone, so that all later rounds and a resumed race offer the same rates; valid
    cells where there are any.
    """
    seen: dict[tuple[str, str], list[Cell]] = {}
    for cell in found:
        closed = cell.load.rate is None and cell.load.pipeline == 1
        if cell.round == 1 and closed and cell.throughput and TWIN_MARK not in cell.label:
            seen.setdefault((cell.label, cell.task), []).append(cell)
    rates = {}
    for key, cells in seen.items():
        valid = [cell for cell in cells if cell.status == "ok"] or cells
        rates[key] = sum(cell.throughput or 0.0 for cell in valid) / len(valid)
    return rates
