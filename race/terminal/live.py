"""The live board of a race: what runs now, time left, contenders by tasks so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live as Screen
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from race.analysis.analyse import analyse
from race.plan.clock import Clock
from race.plan.forecast import Plan
from race.plan.order import Planned
from race.saved.model import Cell, Work
from race.saved.reader import SavedRace
from race.terminal.matrix import Block, Matrix
from race.terminal.phrases import (
    again_text,
    figures,
    round_text,
    time_text,
    waiting_text,
    work_text,
)

REFRESH_PER_SECOND = 1.0
"""A low rate, because the board is drawn on a core that measures; it takes some milliseconds."""
FAULTS = 2
"""The number of the latest faults that are shown."""
STYLES = {"ok": "", "invalid": "yellow", "overloaded": "yellow", "failed": "red"}


class Live:
    """A board for a terminal, as much of it as fits; it goes away when the race is over."""

    def __init__(self, console: Console, plan: Plan, saved: Callable[[], SavedRace]) -> None:
        """Show a race; `saved` gives it so far, with the cells from before it was resumed."""
        self._plan, self._saved = plan, saved
        race = saved()
        self._clock = Clock(plan, race.cells)
        self._cells, self._done = plan.cells + plan.calibrations, len(race.cells)
        self._round = ""
        self._now = Text("starting", "bold")
        self._faults: list[Text] = []
        self._last: list[Text] = []
        self._work: Work | None = None
        self._group: tuple[str, int, int] | None = None
        self._analysis = analyse(race)
        self._matrix = self._drawn(race)
        self._screen = Screen(
            get_renderable=lambda: self,
            console=console,
            refresh_per_second=REFRESH_PER_SECOND,
            transient=True,
        )
        self._screen.start()

    def round(self, number: int, of: int) -> None:
        self._round = round_text(number, of)
        self._group = None

    def cell(self, planned: Planned) -> None:
        load = planned.work.load
        group = planned.work.task, load.pipeline, load.connections
        if group != self._group:  # with another task or round there is time to analyse
            self._group = group
            race = self._saved()
            self._analysis = analyse(race)
            self._matrix = self._drawn(race)
        self._work = planned.work
        self._now = Text(f"now: {planned.contender.label} on {work_text(planned.work)}", "bold")

    def result(self, cell: Cell) -> None:
        self._done += 1
        self._clock.did(cell)
        race = self._saved()
        self._matrix = self._drawn(race)
        where = f"{cell.label} on {work_text(cell.work)}"
        line = f"{where}: {figures(cell, race.head.discipline)}"
        self._last = [Text(line, "dim")]
        if cell.status != "ok":
            self._fault(Text(line, STYLES[cell.status]))
            self._last = []

    def again(self, cells: int, reason: str) -> None:
        self._cells += cells
        self._clock.again(cells)
        self._fault(Text(again_text(cells, reason), "yellow"))

    def waiting(self, reason: str, most: float) -> None:
        self._now = Text(waiting_text(reason, most), "bold yellow")

    def close(self) -> None:
        self._screen.stop()

    def _fault(self, text: Text) -> None:
        self._faults = [*self._faults, text][-FAULTS:]

    def _drawn(self, race: SavedRace) -> Matrix:
        return Matrix(self._analysis, race, self._plan.works, reasons=False)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the most important parts first, and leave out what does not fit the height."""
        room, all_shown = options.size.height, True
        for part in self._parts(options.max_width):
            lines = console.render_lines(part, options, pad=False)
            if len(lines) <= room:
                room -= len(lines)
                for line in lines:
                    yield from (*line, Segment.line())
            elif isinstance(part, Block):
                all_shown = False
        if room and not all_shown:
            yield Text("the rest of the table is in a larger window", "dim")

    def _parts(self, width: int) -> Iterator[RenderableType]:
        yield Text(self._plan.scenario.title, "bold")
        left = f"{time_text(self._clock.left())} left"
        yield Text(" · ").join([self._now, *(Text(one) for one in (self._round, left) if one)])
        yield self._bar()
        # The task that is being measured comes first.
        yield from sorted(self._matrix.blocks(width), key=lambda one: self._work not in one.works)
        yield self._matrix.legend()
        yield from (*self._faults, *self._last)

    def _bar(self) -> Table:
        cells = max(self._cells, self._done)
        bar = Table.grid(padding=(0, 1, 0, 0), expand=True)
        bar.add_column(no_wrap=True)
        bar.add_column(ratio=1)
        counted = Text(f"cell {min(self._done + 1, cells)} of {cells}")
        bar.add_row(counted, ProgressBar(total=max(1, cells), completed=self._done))
        return bar
