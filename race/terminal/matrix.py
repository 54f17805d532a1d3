"""Contenders by tasks: what was measured, who leads, how sure that is; as wide as there is room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from race.analysis.model import Analysis, Comparison
from race.analysis.values import counted
from race.saved.model import CALIBRATION, Cell, Work
from race.saved.reader import SavedRace
from race.stats.signed_rank import rounds_needed
from race.terminal.phrases import breadth, broken, work_text
from race.terminal.spot import FORMS, Part, Spot

UNBEATEN, HIGHEST = "*", "+"
HEADING = 8
"""Columns of a task's name in one line."""


@dataclass(frozen=True)
class Columns:
    """What is shown of one task: headings, and a row of texts for each contender."""

    work: Work
    headings: Sequence[str]
    rows: Sequence[Sequence[Text]]

    @property
    def width(self) -> int:
        """With a space before each."""
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
    """`race` may have more cells than were analysed: rates are shown of all of them."""

    def __init__(
        self, analysis: Analysis, race: SavedRace, works: Sequence[Work], reasons: bool = True
    ) -> None:
        """`works` are the columns, of the closed loop; `reasons` of failures below the table."""
        self._unit, self._reasons = race.head.discipline.unit, reasons
        self._labels = [one.label for one in race.head.contenders]
        chosen = set(works)
        self._comparisons = [one for one in analysis.comparisons if one.work in chosen]
        self._ran = [one for one in race.cells if one.round != CALIBRATION and one.work in chosen]
        self._spots = self._found(race, works)

    def _found(self, race: SavedRace, works: Sequence[Work]) -> Mapping[Work, Sequence[Spot]]:
        """By task, in the order of the contenders."""
        comparisons = {one.work: one for one in self._comparisons}
        items = {(item.label, one.work): item for one in self._comparisons for item in one.results}
        marks = {work: leading(comparison) for work, comparison in comparisons.items()}
        ran, valid = groups(self._ran), groups(counted(race))
        return {
            work: [
                Spot(
                    ran=ran.get((label, work), []),
                    valid=valid.get((label, work), []),
                    comparison=comparisons.get(work),
                    item=items.get((label, work)),
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
        """All tasks side by side in the richest form that fits, else in several blocks."""
        names = [broken(label, width // 2) for label in self._labels]
        room = width - max((breadth(name) for name in names), default=0)
        forms = [[self._columns(work, form) for work in self._spots] for form in FORMS]
        fit = (found for found in forms if sum(one.width for one in found) <= room)
        return [self._block(names, some) for some in _fitting(next(fit, forms[-1]), room)]

    def _columns(self, work: Work, form: Sequence[Part]) -> Columns:
        own, *others = (heading for heading, _ in form)
        name = own or broken(work_text(work), HEADING)
        rows = [[part(spot) for _, part in form] for spot in self._spots[work]]
        return Columns(work, [name, *others], rows)

    def _block(self, names: Sequence[str], found: Sequence[Columns]) -> Block:
        table = Table(box=None, padding=(0, 0, 0, 1), pad_edge=False, show_edge=False)
        table.add_column(f"{self._unit}/s", no_wrap=True)
        for heading in (heading for one in found for heading in one.headings):
            table.add_column(heading, justify="right", no_wrap=True)
        for number, name in enumerate(names):
            table.add_row(Text(name), *(text for one in found for text in one.rows[number]))
        return Block([one.work for one in found], table)

    def legend(self) -> Text:
        """What the signs mean that are shown."""
        return Text("; ".join(self._signs()), "dim")

    def _signs(self) -> Iterator[str]:
        spots = [spot for row in self._spots.values() for spot in row]
        marks = {spot.mark for spot in spots if spot.valid}
        if UNBEATEN in marks:
            yield f"{UNBEATEN} nobody beat it"
        if HIGHEST in marks:
            yield f"{HIGHEST} highest, not told apart"
        if any(spot.item and spot.item.ratio for spot in spots):
            least = f"from {rounds_needed()} rounds on"
            yield f"± or [ ] 95 % interval of the ratio to ref, {least}"
        if any(spot.bound for spot in spots):
            yield f"≥ at least: the {spots[0].party} was not seen full, not ranked"
        if any(spot.unsure is not None for spot in spots):
            yield "? disturbed or with errors, not ranked"
        for one in self._comparisons:
            if one.replaced:
                told = f"ref is {one.reference}: {one.baseline} has no rate there"
                yield f"on {work_text(one.work)} {told}"

    def _failures(self) -> Iterator[Text]:
        for told in dict.fromkeys(_failure(cell) for cell in self._ran if cell.status == "failed"):
            yield Text(told)


def leading(comparison: Comparison) -> Mapping[str, str]:
    """The mark of those whom nobody beat; where nobody was beaten, of who has the highest rate."""
    if comparison.unbeaten:
        return {item.label: UNBEATEN for item in comparison.unbeaten}
    ranked = [item for item in comparison.results if item.state == "ranked"]
    rates = {item.label: item.throughput.median for item in ranked if item.throughput}
    return {max(rates, key=rates.__getitem__): HIGHEST} if len(rates) > 1 else {}


def groups(cells: Iterable[Cell]) -> dict[tuple[str, Work], list[Cell]]:
    """By contender's label and work."""
    found: dict[tuple[str, Work], list[Cell]] = {}
    for cell in cells:
        found.setdefault((cell.label, cell.work), []).append(cell)
    return found


def _fitting(found: Sequence[Columns], room: int) -> Iterator[Sequence[Columns]]:
    """In their order, as many side by side as there is room for."""
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
