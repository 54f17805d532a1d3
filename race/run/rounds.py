"""A race from its first round to its last: blocks in order, invalid rounds again at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from race.errors import CellFailed
from race.plan.order import (
    TWIN_MARK,
    Block,
    Key,
    Work,
    closed_works,
    has_open_loop,
    key_of,
    open_works,
    shuffled,
)
from race.run import cell as cells
from race.run.arena import Arena
from race.saved.model import Cell, Contender
from race.saved.writer import Recorder
from race.terminal.board import Board
from race.web import servers
from race.web.engines import database_of
from race.web.servers import Server


@dataclass
class Runner:
    """Runs what is not done yet; `done` holds the cells that a resumed race has already."""

    arena: Arena
    recorder: Recorder
    board: Board
    contenders: Sequence[Contender]
    done: dict[Key, Cell] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """All rounds, then one more for each that was invalid, within the scenario's limits."""
        number = 1
        while number <= self._planned() + len(self.recorder.head.rejected):
            self._round(number)
            self._judge(number)
            number += 1
        self.recorder.finish(datetime.now(UTC).isoformat(timespec="seconds"))

    def _planned(self) -> int:
        """A scenario with fixed rates has one round more, which finds the capacities."""
        scenario = self.arena.scenario
        return scenario.rounds + has_open_loop(scenario)

    def _round(self, number: int) -> None:
        works = self._works(number)
        blocks = shuffled(works, self.contenders, self.recorder.head.seed, number)
        self.board.round(number, self._planned() + len(self.recorder.head.rejected))
        for block in blocks:
            self._block(block)

    def _works(self, number: int) -> Mapping[str, Sequence[Work]]:
        scenario = self.arena.scenario
        if self._original(number) == 1 or not has_open_loop(scenario):
            closed = closed_works(scenario)
            return {one.label: closed for one in self.contenders}
        capacity = capacities(self.done.values())
        return {one.label: open_works(scenario, one, capacity) for one in self.contenders}

    def _original(self, number: int) -> int:
        """The planned round that a round is, or repeats."""
        while number > self._planned():
            number = self.recorder.head.rejected[number - self._planned() - 1].round
        return number

    def _block(self, block: Block) -> None:
        """One server from start to stop; when it dies, the next cell gets a new one."""
        places = [
            cells.Place(block, block.order + index, work, self._database(block))
            for index, work in enumerate(block.works)
        ]
        left = [place for place in places if _key(place) not in self.done]
        host = _Host(self.arena, block)
        self.arena.databases.pin(self.arena.cores.database)
        try:
            for place in left:
                self.board.cell(block, place.work)
                self._save(*self._cell(host, place))
        finally:
            host.close()

    def _cell(self, host: _Host, place: cells.Place) -> tuple[Cell, dict[str, Any]]:
        if self.arena.generator(place.work.load.generator).serverless:
            return cells.run(self.arena, None, place)
        try:
            server = host.server()
        except CellFailed as failure:
            return cells.refused(place, str(failure))
        return cells.run(self.arena, server, place)

    def _save(self, cell: Cell, extra: dict[str, Any]) -> None:
        self.recorder.add(cell, extra)
        self.done[key_of(cell)] = cell
        self.board.result(cell)

    def _database(self, block: Block) -> str | None:
        return database_of(self.arena.scenario, block.contender.engine)

    def _judge(self, number: int) -> None:
        """Reject a round with an invalid cell, as long as there is room for another one."""
        rejected = self.recorder.head.rejected
        bad = [c for c in self.done.values() if c.round == number and c.status == "invalid"]
        if not bad or any(one.round == number for one in rejected):
            return
        reason = f"{bad[0].label} on {bad[0].page}: {bad[0].reason}"
        if len(bad) > 1:
            reason += f" (and {len(bad) - 1} more cells)"
        again = len(rejected) < self.arena.scenario.validity.reruns and self._in_time()
        self.board.invalid_round(number, reason, again)
        if again:
            self.recorder.reject(number, reason)

    def _in_time(self) -> bool:
        """Whether one more round fits into the scenario's time limit."""
        limit = self.arena.scenario.time_limit_s
        spent = time.monotonic() - self._began
        return limit is None or spent * (1 + 1 / self._planned()) <= limit


@dataclass
class _Host:
    """The server of a block, started when first needed and again after it died."""

    arena: Arena
    block: Block
    _server: Server | None = None
    _refusal: str = ""

    def server(self) -> Server:
        """A running server; CellFailed when it does not start, for the rest of the block."""
        if self._refusal:
            raise CellFailed(self._refusal)
        if self._server is not None and self._server.child.running():
            return self._server
        self.close()
        contender, scenario = self.block.contender, self.arena.scenario
        program = scenario.programs.get(contender.engine)
        try:
            self._server = servers.start(contender, program, self.arena.cores.server, scenario.port)
        except CellFailed as failure:
            self._refusal = str(failure)
            raise
        return self._server

    def close(self) -> None:
        """Stop it, if it runs."""
        server, self._server = self._server, None
        if server is not None:
            server.child.end()


def capacities(found: Iterable[Cell]) -> dict[tuple[str, str], float]:
    """Requests/s at saturation by (label, page): the means of the first round.

    Of that round alone, so that all later rounds and a resumed race offer the same rates; valid
    cells where there are any.
    """
    seen: dict[tuple[str, str], list[Cell]] = {}
    for cell in found:
        closed = cell.load.rate is None and cell.load.pipeline == 1
        if cell.round == 1 and closed and cell.rps and TWIN_MARK not in cell.label:
            seen.setdefault((cell.label, cell.page), []).append(cell)
    rates = {}
    for key, cells_ in seen.items():
        valid = [cell for cell in cells_ if cell.status == "ok"] or cells_
        rates[key] = sum(cell.rps or 0.0 for cell in valid) / len(valid)
    return rates


def _key(place: cells.Place) -> Key:
    return (place.block.round, place.block.pass_, place.block.contender.label, place.work)
