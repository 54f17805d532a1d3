"""What a person sees while a race runs: plain lines, or a live board on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console

from race.plan.forecast import Plan
from race.plan.order import Block, CellKey
from race.saved.model import Cell, Discipline, Work
from race.saved.reader import SavedRace
from race.saved.writer import Writer
from race.terminal.phrases import figures, work_text


class Board(Protocol):
    """Told of everything that happens; shows what it likes."""

    def round(self, number: int, of: int) -> None:
        """A round begins; `of` counts the rounds known so far."""
        ...

    def cell(self, block: Block, work: Work) -> None:
        """A cell begins."""
        ...

    def result(self, cell: Cell) -> None:
        """A cell is saved."""
        ...

    def invalid_round(self, number: int, reason: str, again: bool) -> None:
        """A round has an invalid cell; `again` when it will be repeated."""
        ...

    def close(self) -> None:
        """The race is over, or interrupted."""
        ...


Boards = Callable[[Plan, Writer, Mapping[CellKey, Cell]], AbstractContextManager[Board]]
"""Makes the board of a race from its plan, the open results and the cells that are done."""


def on(console: Console) -> Boards:
    """A live board on a terminal, plain lines elsewhere."""

    @contextmanager
    def made(plan: Plan, writer: Writer, done: Mapping[CellKey, Cell]) -> Iterator[Board]:
        board = _board(console, plan, writer, done)
        try:
            yield board
        finally:
            board.close()

    return made


def _board(console: Console, plan: Plan, writer: Writer, done: Mapping[CellKey, Cell]) -> Board:
    cells = max(1, plan.cells - len(done))
    if not console.is_terminal:
        return Plain(console, writer.head.discipline, cells, plan.cells // plan.rounds)
    from race.terminal.live import Live

    def saved() -> SavedRace:
        return SavedRace(writer.folder, writer.head, list(done.values()), [])

    return Live(console, plan, writer.head, cells, saved)


class Plain:
    """One line for each cell: for logs, pipes and CI."""

    def __init__(
        self, console: Console, discipline: Discipline, cells: int, each_round: int
    ) -> None:
        self._console, self._discipline = console, discipline
        self._cells, self._each_round = cells, each_round
        self._done = 0
        self._began = time.monotonic()

    def round(self, number: int, of: int) -> None:
        """A line."""
        self._line(f"round {number} of {of}")

    def cell(self, block: Block, work: Work) -> None:
        """Nothing: the result is the line."""

    def result(self, cell: Cell) -> None:
        """A line: place, contender, task, figures."""
        self._done += 1
        where = f"[{self._done}/{self._cells}] {cell.label} {work_text(cell.work)}"
        self._line(f"{where}: {figures(cell, self._discipline)}")

    def invalid_round(self, number: int, reason: str, again: bool) -> None:
        """A line."""
        what = "runs again at the end" if again else "its invalid cells do not count"
        self._line(f"round {number} is invalid, {what}: {reason}")
        if again:
            self._cells += self._each_round

    def close(self) -> None:
        """Nothing to tidy up."""

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)
