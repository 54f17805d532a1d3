"""The live board: round, cell, ranking so far with its uncertainty, time left."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.live import Live as Screen
from rich.progress_bar import ProgressBar
from rich.text import Text

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.plan.forecast import Plan
from race.plan.order import Planned
from race.saved.model import Cell, Head, Work
from race.saved.reader import SavedRace
from race.terminal import tables
from race.terminal.phrases import again_text, figures, round_text, waiting_text, work_text

REFRESH_PER_SECOND = 1.0
"""The board is drawn on a core that measures; a drawing takes some milliseconds."""
NEWS = 3


class Live:
    """A board for a terminal. `saved` gives the race so far, which is analysed between servers."""

    def __init__(
        self, console: Console, plan: Plan, head: Head, cells: int, saved: Callable[[], SavedRace]
    ) -> None:
        """`cells` are left to run."""
        self._title, self._discipline = plan.scenario.title, head.discipline
        self._cells = cells
        self._forecast = plan.seconds() * cells / max(1, plan.cells + plan.calibrations)
        self._saved = saved
        self._done = 0
        self._began = time.monotonic()
        self._round = ""
        self._now = Text("starting")
        self._news: list[Text] = []
        self._analysis: Analysis | None = None
        self._shown: Work | None = None
        self._screen = Screen(
            get_renderable=self._draw, console=console, refresh_per_second=REFRESH_PER_SECOND
        )
        self._screen.start()

    def round(self, number: int, of: int) -> None:
        """A round begins."""
        self._round = round_text(number, of)

    def cell(self, planned: Planned) -> None:
        """A cell begins; with another task there is time for the ranking."""
        if planned.work != self._shown:
            self._shown = planned.work
            self._analysis = analyse(self._saved())
        self._now = Text(f"{planned.contender.label} on {work_text(planned.work)}", "bold")

    def result(self, cell: Cell) -> None:
        """A cell is saved: it becomes the latest news."""
        self._done += 1
        style = {"ok": "", "invalid": "yellow", "overloaded": "yellow", "failed": "red"}[
            cell.status
        ]
        where = f"{cell.label} {work_text(cell.work)}"
        told = f"{where}: {figures(cell, self._discipline)}"
        self._news = [*self._news, Text(told, style, no_wrap=True)][-NEWS:]

    def again(self, cells: int, reason: str) -> None:
        """Cells are measured again."""
        self._cells += cells
        self._news.append(Text(again_text(cells, reason), "yellow"))

    def waiting(self, reason: str) -> None:
        """The next cell waits."""
        self._now = Text(waiting_text(reason), "yellow")

    def close(self) -> None:
        """Leave the last picture on the screen."""
        self._screen.stop()

    def _draw(self) -> RenderableType:
        place = f"   {self._round}   cell {self._done + 1} of {self._cells}"
        left = f"   {_minutes(self._left())} left"
        head = Text.assemble((self._title, "bold"), place, left)
        bar = ProgressBar(total=max(1, self._cells), completed=self._done)
        return Group(head, bar, self._now, *self._news, *self._ranking())

    def _left(self) -> float:
        """By the forecast at first, then more and more by what the cells really took."""
        spent = time.monotonic() - self._began
        share = min(1.0, self._done / max(1, self._cells))
        expected = (1 - share) * self._forecast + share * spent / max(share, 1e-9)
        return max(0.0, expected - spent)

    def _ranking(self) -> list[RenderableType]:
        if self._analysis is None:
            return []
        found = [one for one in self._analysis.contests if one.work == self._shown]
        return [tables.ranking(self._analysis, contest) for contest in found]


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
