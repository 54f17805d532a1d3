"""What a person sees while a race runs: plain lines, or a live board on a terminal."""

from __future__ import annotations

import time
from typing import Protocol

from rich.console import Console

from race.plan.order import Block, Work
from race.saved.model import Cell, Load


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


class Plain:
    """One line for each cell: for logs, pipes and CI."""

    def __init__(self, console: Console, cells: int, each_round: int) -> None:
        self._console, self._cells, self._each_round = console, cells, each_round
        self._done = 0
        self._began = time.monotonic()

    def round(self, number: int, of: int) -> None:
        """A line."""
        self._line(f"round {number} of {of}")

    def cell(self, block: Block, work: Work) -> None:
        """Nothing: the result is the line."""

    def result(self, cell: Cell) -> None:
        """A line: place, contender, page, figures."""
        self._done += 1
        where = f"[{self._done}/{self._cells}] {cell.label} {page_text(cell.page, cell.load)}"
        self._line(f"{where}: {figures(cell)}")

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


def page_text(page: str, load: Load) -> str:
    """A page with what is special about its load: "ugly", "ugly x24", "good 2,000/s"."""
    text = page if load.pipeline == 1 else f"{page} x{load.pipeline}"
    return text if load.rate is None else f"{text} {load.rate:,.0f}/s"


def figures(cell: Cell) -> str:
    """One cell in a phrase; one without figures has its reason."""
    if cell.rps is None:
        return f"{cell.status.upper()}: {cell.reason}"
    text = f"{cell.rps:,.0f} requests/s"
    if "p99" in cell.latency_us:
        text += f", p99 {cell.latency_us['p99'] / 1000:,.1f} ms"
    if cell.requests:
        text += f", {cell.cpu_ns.get('server', 0) / cell.requests / 1000:,.1f} us CPU"
    if cell.generator_bound:
        text += ", at least: the generator was the limit"
    return text + (f" INVALID: {cell.reason}" if cell.status == "invalid" else "")
