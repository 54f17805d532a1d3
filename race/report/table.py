"""A table of a report, filled once for all of its forms.

`markdown.table`, `console.drawn` and the macro `table` of the templates show it, and
`spreadsheet` writes it as CSV.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from race.report import format as words


class ColumnKind(NamedTuple):
    """The kind of a column: how its values read, and at which side they stand.

    `brief` is how they read on a terminal without the room.
    """

    text: Callable[[Any], str] = str
    right: bool = True
    brief: Callable[[Any], str] | None = None


TEXT = ColumnKind(right=False)
PLAIN = ColumnKind()
NUMBER = ColumnKind(words.number)
COUNT = ColumnKind("{:,.0f}".format)
PERCENT = ColumnKind(words.percent)


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, the value of an item, and its kind; `brief` is a heading for a narrow terminal.

    In HTML `css` is the class of its cells, and `link` the anchor that its heading leads to.
    """

    title: str
    value: Callable[[Any], Any]
    kind: ColumnKind = NUMBER
    brief: str = ""
    css: str = ""
    link: str = ""

    def text(self, value: Any, brief: bool = False) -> str:
        """Return how a value reads; None is a dash."""
        if value is None:
            return words.NONE
        return (self.kind.brief if brief and self.kind.brief else self.kind.text)(value)

    def html(self, value: Any) -> str:
        """Return a value for HTML: as it draws itself, or its text, which the template escapes."""
        return escape(value) if hasattr(value, "__html__") else self.text(value)

    def style(self, value: Any = None) -> str:
        """Return the classes of a cell, or of the heading."""
        sides = ("n" if self.kind.right else "", self.css, getattr(value, "css", ""))
        return " ".join(filter(None, sides))


@dataclass(frozen=True, slots=True)
class TableRow:
    """Values by column; `state` and `reason` stand in place of those that are None.

    The label is the value of the first column of names, the row's heading. `style` is CSS.
    """

    values: Sequence[Any]
    state: str = ""
    reason: str = ""
    style: str = ""

    @property
    def missing(self) -> int | None:
        """The column where the note stands; None where no value is missing, or nothing says why."""
        absent = [number for number, value in enumerate(self.values) if value is None]
        return absent[0] if self.state and absent else None

    @property
    def note(self) -> str:
        """Why values are missing."""
        return f"{self.state}: {self.reason}" if self.reason else self.state


@dataclass(frozen=True, slots=True)
class ReportTable:
    """`title` says what it is of, `caption` what to know before reading it; `heading` is the column
    that names its rows.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[TableRow]
    caption: str = ""
    heading: int = 0
    css: str = field(default="numbers small")

    def known(self, html: bool = False) -> ReportTable:
        """Return the table without the columns that say nothing of anybody."""
        kept = [
            number
            for number, column in enumerate(self.columns)
            if number == self.heading
            or any(_says(column, row.values[number], html) for row in self.rows)
            or any(row.missing == number for row in self.rows)
        ]
        columns = [self.columns[number] for number in kept]
        rows = [
            TableRow([row.values[number] for number in kept], row.state, row.reason, row.style)
            for row in self.rows
        ]
        return ReportTable(
            self.title, columns, rows, self.caption, kept.index(self.heading), self.css
        )

    def texts(self, brief: bool = False, states: bool = False) -> Iterator[list[str]]:
        """Return the texts of each row; the first that is missing is the row's note.

        `brief`: on a terminal without the room; `states`: a note is the state alone.
        """
        for row in self.rows:
            note = row.state if states else row.note
            shown = [
                column.text(value, brief)
                for column, value in zip(self.columns, row.values, strict=True)
            ]
            if row.missing is not None:
                shown[row.missing] = note
            yield shown


def _says(column: Column, value: Any, html: bool) -> bool:
    drawn = html and hasattr(value, "__html__")
    return drawn or column.text(value) not in ("", words.NONE)


def fill(
    title: str,
    columns: Sequence[Column],
    items: Iterable[Any],
    caption: str = "",
    css: str = "numbers small",
    row: Callable[[Sequence[Any], Any], TableRow] = lambda values, item: TableRow(values),
) -> ReportTable:
    """Return a table with a row for each item; `row` makes it from its values and the item."""
    rows = [row([column.value(item) for column in columns], item) for item in items]
    return ReportTable(title, columns, rows, caption, css=css)


def as_above(table: ReportTable, columns: range, within: int | None = None) -> ReportTable:
    """Return the table with `columns` that leave out what the row above says.

    `within`: only where the value of that column is as above, too.
    """
    rows = list(table.rows[:1])
    for above, row in pairwise(table.rows):
        same = within is None or row.values[within] == above.values[within]
        pairs = zip(row.values, above.values, strict=True)
        values = [
            AsAbove(value) if same and at in columns and value == before != "" else value
            for at, (value, before) in enumerate(pairs)
        ]
        rows.append(replace(row, values=values))
    return replace(table, rows=rows)


def spreadsheet(table: ReportTable) -> str:
    """Return the table as CSV: values as they are, nothing is rounded; None is empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(column.title for column in table.columns)
    writer.writerows(row.values for row in table.rows)
    return file.getvalue()


class AsAbove(NamedTuple):
    """A text that is the same as in the row above: not shown, but there in HTML for those who
    listen to a row, copy it or search for it.
    """

    text: str

    def __str__(self) -> str:
        return ""

    def __html__(self) -> Markup:
        return Markup('<span class="above">{}</span>').format(self.text)


@dataclass(frozen=True, slots=True)
class Two:
    """A value with a smaller one below it; `css` is a class of its cell."""

    text: str
    small: str
    css: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.small})" if self.text and self.small else self.text + self.small

    def __html__(self) -> Markup:
        small = Markup("<small>{}</small>").format(self.small) if self.small else ""
        return Markup("{}{}").format(self.text, small)
