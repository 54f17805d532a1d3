"""Tables of a report on a terminal, as wide as there is room."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from race.report.table import ReportTable

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


def drawn(table: ReportTable, title: str, caption: str = "") -> Fitted:
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
            caption=caption or None,
            caption_justify="left",
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=0,
        )
        for column, heading, room in zip(known.columns, texts[0], widths, strict=True):
            if column.kind.right:
                found.add_column(heading, justify="right", no_wrap=True)
            else:
                found.add_column(heading, max_width=room, overflow="fold")
        for row, line in zip(known.rows, texts[1:], strict=True):
            style = STYLES.get(row.state, "")
            styles = (getattr(value, "style", style) for value in row.values)
            cells = (broken(text, room) for text, room in zip(line, widths, strict=True))
            found.add_row(*map(Text, cells, styles))
        return found

    return Fitted(draw)


def _texts(table: ReportTable, brief: bool) -> list[list[str]]:
    """Return the headings, then the texts of each row."""
    headings = [(brief and column.brief) or column.title for column in table.columns]
    return [headings, *table.texts(brief, states=True)]


def _widths(texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column, with a space."""
    return [1 + max(map(breadth, column)) for column in zip(*texts, strict=True)]


def _fit(table: ReportTable, widths: list[int], width: int) -> list[int]:
    """Return the room for the text of each column: the widest texts give way."""
    texts = [at for at, column in enumerate(table.columns) if not column.kind.right]
    room = list(widths)
    while sum(room) - 1 > width:
        widest = max(texts, key=room.__getitem__)
        if room[widest] <= LEAST:
            break
        room[widest] -= 1
    return [one - 1 for one in room]


def broken(name: str, room: int) -> str:
    """Return a name in lines of so many columns, broken after hyphens and at spaces."""
    return "\n".join(textwrap.wrap(name, max(1, room), break_long_words=False)) or name


def breadth(text: str) -> int:
    """Return the columns of the longest line."""
    return max(cell_len(line) for line in text.split("\n"))


def say(console: Console, text: str, style: str = "") -> None:
    """Print a line, wrapped between words on a terminal and whole elsewhere."""
    whole = not console.is_terminal
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=whole)
