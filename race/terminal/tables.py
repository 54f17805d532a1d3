"""Tables for a terminal: rankings, and contenders by tasks at the end of a race."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from race.analysis import user_loads
from race.analysis.model import Analysis, Comparison, ContenderResult, Spread
from race.analysis.trust import state
from race.analysis.values import cpu_us, in_order, median
from race.report import format as words
from race.report import legend, sentences
from race.saved.model import Cell, Work
from race.stats import histogram
from race.terminal.matrix import Matrix, groups
from race.terminal.phrases import breadth, broken, short

WIDE = 100
"""From here on there is room to say who was full."""
NAME = 30
"""Columns of a name in the table of latencies."""
STYLES = {"waiting": "dim", "invalid": "yellow", "overloaded": "red", "failed": "red"}
"""Of a contender without a rate."""


@dataclass(frozen=True)
class Fitted:
    """What is drawn for the width that there is."""

    draw: Callable[[int], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.draw(options.max_width)


def everything(analysis: Analysis) -> Iterator[RenderableType]:
    """What is shown at the end of a race."""
    if analysis.race.head.scenario.get("rounds", 2) > 1:
        yield from rankings(analysis)
        yield from (Text(f"{one.term}: {one.text}", "dim") for one in legend.ranges(analysis))
    if (at_rates := latencies(analysis)) is not None:
        yield at_rates
    yield from seen_by_user_loads(analysis)
    if analysis.closed():
        yield matrix(analysis)


def matrix(analysis: Analysis, works: Sequence[Work] = ()) -> Matrix:
    """Contenders by tasks of the closed loop; `works` where more are planned than have begun."""
    begun = [comparison.work for comparison in analysis.closed()]
    closed = in_order([*begun, *works], analysis.discipline)
    return Matrix(analysis, analysis.race, closed)


def rankings(analysis: Analysis) -> list[RenderableType]:
    """A table for each comparison of the closed loop, with the verdict below."""
    return [ranking(analysis, comparison) for comparison in analysis.closed()]


def ranking(analysis: Analysis, comparison: Comparison) -> RenderableType:
    """The ranking of one comparison; why someone has no rank stands below.

    µs is the CPU time per unit of the party under test, whose core is shown in %; n are the cells.
    """

    def draw(width: int) -> RenderableType:
        title = f"{comparison.title}, {sentences.load(analysis, comparison)}"
        heads = ["", "rate/s", "ratio [95 %]", "µs", comparison.party, "n"]
        rows = [_figures(comparison, item, width >= WIDE) for item in comparison.results]
        columns = zip(heads, *rows, strict=True)
        room = width - sum(1 + max(map(breadth, column)) for column in columns)
        found = _table(title, box.SIMPLE_HEAD, show_edge=False, padding=0)
        found.add_column("", justify="right", no_wrap=True)
        found.add_column(comparison.discipline.contender, no_wrap=True)
        for name in heads[1:]:
            found.add_column(name, justify="right", no_wrap=True)
        for item, (rank, *figures) in zip(comparison.results, rows, strict=True):
            style = STYLES.get(item.state, "")
            texts = [Text(broken(item.label, room)), *(Text(one, style) for one in figures)]
            found.add_row(rank, *texts)
        return Group(
            found, Text("\n".join([sentences.said(comparison), *_unranked(comparison)]) + "\n")
        )

    return Fitted(draw)


def _figures(comparison: Comparison, item: ContenderResult, wide: bool) -> list[str]:
    """Rank and figures; who was full stands below how busy the party was, where there is no room
    beside it.
    """
    rank = words.rank(comparison, item)
    if item.throughput is None:
        return [rank, item.state, "", "", "", ""]
    busy = words.NONE if item.busy is None else f"{100 * item.busy:.0f} %"
    if item.saturated not in (None, comparison.party):
        busy = f"{busy}\n{item.saturated}"
    return [
        rank,
        f"{'≥' if item.state == 'at-least' else ''}{short(item.throughput.median)}",
        words.ratio(comparison, item),
        words.number(item.cpu_us.get(comparison.party)),
        words.full(comparison, item) if wide else busy,
        f"{item.cells}",
    ]


def _unranked(comparison: Comparison) -> Iterator[str]:
    for item in comparison.results:
        if item.reason and item.state != "at-least":
            yield f"{item.label} is not ranked, {item.state}: {item.reason}"


def latencies(analysis: Analysis) -> Table | None:
    """CPU per unit, p50, p99 and p99.9 at each fixed rate; None where there is none."""
    rated = [cell for cell in analysis.race.cells if cell.load.rate is not None]
    table = _table("milliseconds at a fixed rate")
    for name in (analysis.discipline.task, analysis.discipline.contender):
        table.add_column(name, no_wrap=True)
    for name in ("rate/s", "CPU µs", "p50", "p99", "p99.9"):
        table.add_column(name, justify="right", no_wrap=True)
    party = analysis.discipline.parties[0]
    ran, counted = groups(rated), groups(analysis.counted)
    for work in in_order((cell.work for cell in rated), analysis.discipline):
        for label in sorted(label for label, one in ran if one == work):
            cells = counted.get((label, work), [])
            figures = _percentiles(cells) or [state(ran[label, work], cells, False, party)[0]]
            cpu = median(cpu_us(party)(cell) for cell in cells)
            told = words.NONE if cpu is None else f"{cpu:.1f}"
            name = broken(label, NAME)
            table.add_row(work.task, name, f"{work.load.rate:,.0f}", told, *figures)
    return table if rated else None


def seen_by_user_loads(analysis: Analysis) -> Iterator[RenderableType]:
    """Of each group a table of units, median, p95 and, of who did not keep up, what failed; below
    it every pair in a sentence.
    """
    for group in user_loads.user_loads(analysis):
        table = _table(f"{group.title}, {group.comparison.load}: milliseconds")
        table.add_column(analysis.discipline.contender, no_wrap=True)
        for name in (analysis.discipline.unit, "median", "p95", "failed", "n"):
            table.add_column(name, justify="right", no_wrap=True)
        for side in group.sides:
            whole = side.by_name[user_loads.ALL]
            times = [_middle(one) for one in (whole.p50_us, side.p95_us)]
            name, last = (
                broken(side.item.label, NAME),
                [words.percent(side.lost.median if side.lost else None), str(side.cells)],
            )
            table.add_row(name, f"{whole.count.median:,.0f}", *times, *last)
        said = (sentences.versus(group.comparison, pair) for pair in group.pairs)
        yield Group(table, Text("\n".join(said) + "\n"))


def _middle(us: Spread | None) -> str:
    """Whole milliseconds."""
    return words.NONE if us is None else f"{us.median / 1000:,.0f}"


def _percentiles(cells: Sequence[Cell]) -> list[str]:
    """Three milliseconds; none without cells."""
    merged = histogram.merge(cell.histogram for cell in cells)
    found = [histogram.percentile(merged, percent) for percent in (50, 99, 99.9)]
    shown = [words.NONE if us is None else f"{us / 1000:.1f}" for us in found]
    return shown if cells else []


def plain_table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows with the same keys as a table; numbers to the right."""
    made = Table(title=title, title_justify="left")
    for name, value in rows[0].items() if rows else ():
        made.add_column(name, justify="right" if isinstance(value, int | float) else "left")
    for row in rows:
        made.add_row(*(str(value) for value in row.values()))
    return made


def _table(title: str, lines: box.Box | None = None, **more: Any) -> Table:
    return Table(title=title, title_justify="left", box=lines, **{"padding": (0, 0, 0, 1), **more})
