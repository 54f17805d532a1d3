"""Tables for a terminal, and what is shown at the end of a race."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from race.analysis import user_loads
from race.analysis.distributions import latencies
from race.analysis.model import Analysis, Comparison
from race.analysis.values import in_order
from race.report import legend, sentences
from race.report.console import drawn
from race.report.tables import ranking as rankings
from race.report.tables import rates
from race.report.tables import user_loads as users
from race.report.tables.pair import pair
from race.saved.model import Work
from race.terminal.matrix import Matrix

SHORT = 13
"""The most columns of a terminal that a text may take without being wrapped."""


def everything(analysis: Analysis) -> Iterator[RenderableType]:
    """Return what is shown at the end of a race."""
    if analysis.race.head.scenario.get("rounds", 2) > 1:
        yield from (ranking(analysis, comparison) for comparison in analysis.closed())
        yield from (Text(f"{one.term}: {one.text}", "dim") for one in legend.brief(analysis))
    for comparison in analysis.comparisons:
        if comparison.rated:
            title = f"{comparison.title}, {comparison.load}"
            yield drawn(rates.rated(analysis, comparison, latencies(analysis, comparison)), title)
            yield Text("")
    yield from under_user_loads(analysis)
    if both := pair(analysis):
        yield drawn(both, both.title)
        yield Text("")
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
    title = f"{comparison.title}, {comparison.load}"
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


def plain_table(title: str, rows: Sequence[Mapping[str, Any]], names: str = "") -> Table:
    """Return rows with the same keys as a table; numbers stand at the right.

    Nothing is cut. The column `names`, the first by default, has what people type again: it stays
    as wide as its longest text, as short columns do, and long texts are wrapped.
    """
    made = Table(
        title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False
    )
    keys = list(rows[0]) if rows else []
    for key in keys:
        width = max(cell_len(str(row[key])) for row in rows)
        whole = key == (names or keys[0])
        right = isinstance(rows[0][key], int | float)
        made.add_column(
            key,
            justify="right" if right else "left",
            no_wrap=whole or width <= SHORT,
            overflow="fold",
            min_width=width if whole else None,
        )
    for row in rows:
        made.add_row(*(str(value) for value in row.values()))
    return made
