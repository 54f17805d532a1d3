"""Tables for a terminal, and what is shown at the end of a race."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from race.analysis import user_loads
from race.analysis.model import Analysis, Comparison
from race.analysis.values import in_order
from race.report import legend, sentences
from race.report import table as model
from race.report.tables import ranking as rankings
from race.report.tables import rates
from race.report.tables import user_loads as users
from race.saved.model import Work
from race.terminal.matrix import Matrix
from race.terminal.phrases import breadth, broken

LEAST = 10
"""The fewest columns that a text is broken into."""
STYLES = {"waiting": "dim", "invalid": "yellow", "overloaded": "red", "failed": "red"}
"""The style of a contender without a figure, by its state."""


@dataclass(frozen=True)
class Fitted:
    """Something that is drawn for the width that there is."""

    draw: Callable[[int], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.draw(options.max_width)


def everything(analysis: Analysis) -> Iterator[RenderableType]:
    """Return what is shown at the end of a race."""
    if analysis.race.head.scenario.get("rounds", 2) > 1:
        yield from (ranking(analysis, comparison) for comparison in analysis.closed())
        yield from (Text(f"{one.term}: {one.text}", "dim") for one in legend.ranges(analysis))
    for comparison in analysis.comparisons:
        if comparison.rated:
            title = f"{comparison.title}, {comparison.load}"
            yield drawn(rates.rated(analysis, comparison), title)
            yield Text("")
    yield from under_user_loads(analysis)
    if analysis.closed():
        yield matrix(analysis)


def matrix(analysis: Analysis, works: Sequence[Work] = ()) -> Matrix:
    """Return contenders by tasks of the closed loop.

    `works` are given where more are planned than have begun.
    """
    begun = [comparison.work for comparison in analysis.closed()]
    closed = in_order([*begun, *works], analysis.discipline)
    return Matrix(analysis, analysis.race, closed)


def ranking(analysis: Analysis, comparison: Comparison) -> RenderableType:
    """Return the ranking of one comparison; why someone is not ranked stands below."""
    title = f"{comparison.title}, {sentences.load(analysis, comparison)}"
    table = drawn(rankings.ranking(analysis, comparison), title)
    missing = [
        f"{item.label} is not ranked, {item.state}: {item.reason}"
        for item in comparison.results
        if item.reason and item.state != "at-least"
    ]
    return Group(table, Text("\n".join([sentences.remarks(comparison), *missing]) + "\n"))


def under_user_loads(analysis: Analysis) -> Iterator[RenderableType]:
    """Return a table of contenders under each user load, and one of their pairs."""
    for group in user_loads.user_loads(analysis):
        table = users.users(analysis, group)
        yield drawn(table, table.title)
        if group.pairs:
            yield drawn(users.pairs(analysis, group), "ratios of pairs [95 %]")
        yield Text("")


def drawn(table: model.ReportTable, title: str) -> Fitted:
    """Return a table of a report as wide as there is room.

    Where there is not enough, headings and figures are brief, and names are broken into lines.
    """
    known = table.known()

    def draw(width: int) -> Table:
        wide = _texts(known, brief=False)
        texts = wide if sum(_widths(wide)) - 1 <= width else _texts(known, brief=True)
        widths = _fit(known, _widths(texts), width)
        found = Table(
            title=title,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=0,
        )
        for column, heading in zip(known.columns, texts[0], strict=True):
            found.add_column(
                heading, justify="right" if column.kind.right else "left", no_wrap=True
            )
        for row, line in zip(known.rows, texts[1:], strict=True):
            style = STYLES.get(row.state, "")
            cells = (broken(text, room) for text, room in zip(line, widths, strict=True))
            found.add_row(*(Text(cell, style) for cell in cells))
        return found

    return Fitted(draw)


def _texts(table: model.ReportTable, brief: bool) -> list[list[str]]:
    """Return the headings, then the texts of each row."""
    headings = [(brief and column.brief) or column.title for column in table.columns]
    return [headings, *table.texts(brief, states=True)]


def _widths(texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column, with a space."""
    return [1 + max(map(breadth, column)) for column in zip(*texts, strict=True)]


def _fit(table: model.ReportTable, widths: list[int], width: int) -> list[int]:
    """Return the room for the text of each column: the widest texts give way."""
    texts = [at for at, column in enumerate(table.columns) if not column.kind.right]
    room = list(widths)
    while sum(room) - 1 > width:
        widest = max(texts, key=room.__getitem__)
        if room[widest] <= LEAST:
            break
        room[widest] -= 1
    return [one - 1 for one in room]


def plain_table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return rows with the same keys as a table; numbers stand at the right."""
    made = Table(title=title, title_justify="left")
    for name, value in rows[0].items() if rows else ():
        made.add_column(name, justify="right" if isinstance(value, int | float) else "left")
    for row in rows:
        made.add_row(*(str(value) for value in row.values()))
    return made
