"""The board of a running race: plain lines, or a live board on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console

from race.plan.forecast import Plan
from race.plan.order import CellKey, Planned
from race.saved.model import Cell, Discipline
from race.saved.reader import SavedRace
from race.saved.writer import Writer
from race.terminal.phrases import again_text, figures, round_text, waiting_text, work_text
from race.terminal.say import say


class Board(Protocol):
    """A board takes everything that happens in a race, and shows what it likes."""

    def round(self, number: int, of: int) -> None:
        """Begin a round, of so many; round 0 is the calibration."""
        ...

    def cell(self, planned: Planned) -> None:
        """Begin a cell."""
        ...

    def result(self, cell: Cell) -> None:
        """Take a cell that was saved."""
        ...

    def again(self, cells: int, reason: str) -> None:
        """Take that so many cells are measured again, the first of them for this reason."""
        ...

    def waiting(self, reason: str, most: float) -> None:
        """Take that the next cell waits until the machine is quiet, for so many seconds at most."""
        ...

    def close(self) -> None:
        """End: the race is over, or interrupted."""
        ...


Boards = Callable[[Plan, Writer, Mapping[CellKey, Cell]], AbstractContextManager[Board]]
"""A function that makes the board of a race from its plan, the open results and the cells that are
done.
"""


def on(console: Console) -> Boards:
    """Return a function that makes a live board on a terminal, plain lines elsewhere."""

    @contextmanager
    def made(plan: Plan, writer: Writer, done: Mapping[CellKey, Cell]) -> Iterator[Board]:
        board = _board(console, plan, writer, done)
        try:
            yield board
        finally:
            board.close()

    return made


def _board(console: Console, plan: Plan, writer: Writer, done: Mapping[CellKey, Cell]) -> Board:
    if not console.is_terminal:
        return Plain(console, writer.head.discipline, plan.cells + plan.calibrations, len(done))
    from race.terminal.live import Live

    def saved() -> SavedRace:
        return SavedRace(writer.folder, writer.head, list(done.values()), [])

    return Live(console, plan, saved)


class Plain:
    """A board of one line for each cell: for logs, pipes and CI."""

    def __init__(self, console: Console, discipline: Discipline, cells: int, done: int = 0) -> None:
        """Count up to `cells`, of which `done` were measured before the race was resumed."""
        self._console, self._discipline = console, discipline
        self._cells, self._done = cells, done

    def round(self, number: int, of: int) -> None:
        self._line(round_text(number, of))

    def cell(self, planned: Planned) -> None:
        pass  # the result is the line

    def result(self, cell: Cell) -> None:
        self._done += 1
        of = max(self._done, self._cells)
        where = f"[{self._done}/{of}] {cell.label} {work_text(cell.work)}"
        self._line(f"{where}: {figures(cell, self._discipline)}")

    def again(self, cells: int, reason: str) -> None:
        self._cells += cells
        self._line(again_text(cells, reason))

    def waiting(self, reason: str, most: float) -> None:
        self._line(waiting_text(reason, most))

    def close(self) -> None:
        pass

    def _line(self, text: str) -> None:
        say(self._console, text)
