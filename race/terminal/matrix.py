"""A matrix of contenders by tasks: rates, who leads, how sure that is; as wide as there is room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from race.analysis.model import Analysis, Comparison
from race.analysis.values import counted
from race.report.console import breadth, broken
from race.saved.model import CALIBRATION, Cell, Work
from race.saved.reader import SavedRace
from race.stats.signed_rank import rounds_needed
from race.terminal.entry import FORMS, Form, MatrixEntry
from race.terminal.phrases import work_text

UNBEATEN, FIRST = "*", "+"
HEADING = 8
"""The columns of a line of a task's name."""

Entries = Mapping[Work, Sequence[MatrixEntry]]
"""Task to its entries, in the order of the contenders."""


@dataclass(frozen=True)
class TaskColumns:
    """The columns of one task: headings, and a row of texts for each contender."""

    work: Work
    headings: Sequence[str]
    rows: Sequence[Sequence[Text]]

    @property
    def width(self) -> int:
        """The width of the columns, with a space before each."""
        rows = ([text.plain for text in row] for row in self.rows)
        columns = zip(self.headings, *rows, strict=True)
        return sum(1 + max(breadth(text) for text in column) for column in columns)


@dataclass(frozen=True)
class Block:
    """Tasks that stand side by side."""

    works: Sequence[Work]
    table: Table

    def __rich__(self) -> Table:
        return self.table


class Matrix:
    """Contenders by tasks; rates are of all cells of a race, of which fewer may be analysed."""

    def __init__(
        self, analysis: Analysis, race: SavedRace, works: Sequence[Work], reasons: bool = True
    ) -> None:
        """Show these `works` of the closed loop, and below them `reasons` of failures."""
        self._heading, self._reasons = f"{race.head.discipline.unit}/s", reasons
        self._labels = [one.label for one in race.head.contenders]
        chosen = set(works)
        self._comparisons = [one for one in analysis.comparisons if one.work in chosen]
        self._ran = [one for one in race.cells if one.round != CALIBRATION and one.work in chosen]
        self._shown = self._entries(race, works)

    def _entries(self, race: SavedRace, works: Sequence[Work]) -> Entries:
        results = {
            (item.label, one.work): item for one in self._comparisons for item in one.results
        }
        marks = {one.work: leading(one) for one in self._comparisons}
        references = {one.work: one.reference for one in self._comparisons}
        ran, valid = groups(self._ran), groups(counted(race))
        return {
            work: [
                MatrixEntry(
                    ran=ran.get((label, work), []),
                    valid=valid.get((label, work), []),
                    item=results.get((label, work)),
                    reference=references.get(work) == label,
                    party=race.head.discipline.parties[0],
                    mark=marks.get(work, {}).get(label, ""),
                    unfinished=race.head.finished_at is None,
                )
                for label in self._labels
            ]
            for work in works
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.blocks(options.max_width)
        yield self.legend()
        if self._reasons:
            yield from self._failures()

    def blocks(self, width: int) -> list[Block]:
        """Return all tasks side by side in the richest form that fits, else in several blocks."""
        names = [broken(label, width // 2) for label in self._labels]
        room = width - max(breadth(text) for text in (self._heading, *names))
        forms = [[self._columns(work, form) for work in self._shown] for form in FORMS]
        fit = (found for found in forms if sum(one.width for one in found) <= room)
        return [self._block(names, some) for some in _fitting(next(fit, forms[-1]), room)]

    def _columns(self, work: Work, form: Form) -> TaskColumns:
        own, *others = (heading for heading, _ in form)
        name = own or broken(work_text(work), HEADING)
        rows = [[text(entry) for _, text in form] for entry in self._shown[work]]
        return TaskColumns(work, [name, *others], rows)

    def _block(self, names: Sequence[str], found: Sequence[TaskColumns]) -> Block:
        table = Table(box=None, padding=(0, 0, 0, 1), pad_edge=False, show_edge=False)
        table.add_column(self._heading, no_wrap=True)
        for heading in (heading for one in found for heading in one.headings):
            table.add_column(heading, justify="right", no_wrap=True)
        for number, name in enumerate(names):
            table.add_row(Text(name), *(text for one in found for text in one.rows[number]))
        return Block([one.work for one in found], table)

    def legend(self) -> Text:
        """Return what the signs mean that are shown."""
        return Text("; ".join(self._signs()), "dim")

    def _signs(self) -> Iterator[str]:
        entries = [entry for row in self._shown.values() for entry in row]
        marks = {entry.mark for entry in entries if entry.valid}
        if UNBEATEN in marks:
            yield f"{UNBEATEN} no other beats it"
        if FIRST in marks:
            yield f"{FIRST} first by the mean ratio to all others, undecided"
        if any(entry.item and entry.item.ratio for entry in entries):
            least = f"from {rounds_needed()} rounds on"
            yield f"± or [ ] 95 % interval of the ratio to ref, {least}"
        if any(entry.bound for entry in entries):
            yield f"≥ at least: the {entries[0].party} was not seen saturated; nobody beats it"
        if any(entry.unsure is not None for entry in entries):
            yield "? disturbed or with errors, not ranked"
        for one in self._comparisons:
            if one.replaced:
                why = f"because {one.baseline} has no rate there"
                yield f"on {work_text(one.work)} ref is {one.reference}, {why}"

    def _failures(self) -> Iterator[Text]:
        failed = (cell for cell in self._ran if cell.status == "failed")
        yield from map(Text, dict.fromkeys(map(_failure, failed)))


def leading(comparison: Comparison) -> Mapping[str, str]:
    """Return label to mark: of those that are unbeaten, else of the first in order."""
    if comparison.unbeaten:
        return {item.label: UNBEATEN for item in comparison.unbeaten}
    ranked = [item.label for item in comparison.results if item.state == "ranked"]
    return {ranked[0]: FIRST} if len(ranked) > 1 else {}


def groups(cells: Iterable[Cell]) -> dict[tuple[str, Work], list[Cell]]:
    """Return cells by contender's label and work."""
    found: dict[tuple[str, Work], list[Cell]] = {}
    for cell in cells:
        found.setdefault((cell.label, cell.work), []).append(cell)
    return found


def _fitting(found: Sequence[TaskColumns], room: int) -> Iterator[Sequence[TaskColumns]]:
    """Yield tasks in their order, as many side by side as there is room for."""
    starts, used = [0], 0
    for number, one in enumerate(found):
        if number > starts[-1] and used + one.width > room:
            starts.append(number)
            used = 0
        used += one.width
    for start, end in pairwise([*starts, len(found)]):
        yield found[start:end]


def _failure(cell: Cell) -> str:
    return f"failed: {cell.label} on {work_text(cell.work)}: {cell.reason}"
