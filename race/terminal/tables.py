"""Tables for a terminal: rankings, and contenders by tasks at the end of a race."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from race.analysis.model import Analysis, Contest, Standing
from race.analysis.trust import not_the_limit, state
from race.analysis.values import cpu_us, in_order, median
from race.report import format as words
from race.report import sentences
from race.saved.model import CALIBRATION, Cell, Work
from race.stats import histogram
from race.terminal.phrases import work_text


def everything(analysis: Analysis) -> Iterator[RenderableType]:
    """What is shown at the end of a race."""
    if analysis.race.head.scenario.get("rounds", 2) > 1:
        yield from rankings(analysis)
    if (at_rates := latencies(analysis)) is not None:
        yield at_rates
    yield matrix(analysis)


def rankings(analysis: Analysis) -> list[Group]:
    """A table for each contest of the closed loop, with the verdict below."""
    return [ranking(analysis, contest) for contest in analysis.closed()]


def ranking(analysis: Analysis, contest: Contest) -> Group:
    """The ranking of one contest, within 80 columns; why someone has no rank stands below.

    µs is the CPU time per unit of the party under test, whose core is shown in %, with who was full
    where it was not, n the cells.
    """
    title = f"{contest.place}, {sentences.load(analysis, contest)}"
    found = _table(title, box.SIMPLE_HEAD, show_edge=False, padding=0)
    found.add_column("", justify="right", min_width=2)
    found.add_column(contest.discipline.contender, overflow="fold")
    for name in ("rate/s", "ratio [95 %]", "µs", contest.party, "n"):
        found.add_column(name, justify="right", no_wrap=True)
    reasons = [sentences.said(contest)]
    for item in contest.standings:
        if item.reason and item.state != "at-least":
            reasons.append(f"{item.label} is not ranked, {item.state}: {item.reason}")
        found.add_row(*_ranked(contest, item))
    return Group(found, Text("\n".join(reasons) + "\n"))


def _ranked(contest: Contest, item: Standing) -> list[RenderableType]:
    if item.throughput is None:
        return [words.NONE, item.label, Text(item.state, "red")]
    return [
        words.rank(contest, item),
        item.label,
        f"{'≥' if item.state == 'at-least' else ''}{short(item.throughput.median)}",
        words.ratio(contest, item),
        words.number(item.cpu_us.get(contest.party)),
        _limit(contest, item),
        f"{item.cells}",
    ]


def _limit(contest: Contest, item: Standing) -> str:
    """How busy the party under test was; below it who was full, where it was not that one.

    A longer word would take the row beyond 80 columns; the verdict below the table has it whole.
    """
    busy = words.NONE if item.busy is None else f"{100 * item.busy:.0f} %"
    if item.full in (None, contest.party):
        return busy
    who = item.full if len(item.full) <= 6 else f"{item.full[:5]}."
    return f"{busy}\n{who}"


def matrix(analysis: Analysis) -> Table:
    """Medians over all valid cells; `?` marks invalid ones, which are ranked nowhere.

    A cell that failed in every round is shown as failed, and its reason below the table.
    """
    race = analysis.race
    works = [contest.work for contest in analysis.closed()]
    table = _table(f"{analysis.discipline.unit} per second", caption_justify="left")
    # The one that may wrap: a cut number would be a wrong one.
    table.add_column(analysis.discipline.contender)
    for work in works:
        heading = work_text(work).replace(" ", "\n").replace("-", "\n")
        table.add_column(heading, justify="right", no_wrap=True)
    ran = [cell for cell in race.cells if cell.round != CALIBRATION and cell.work in works]
    cells, valid = _groups(ran), _groups(analysis.counted)
    party = analysis.discipline.parties[0]
    for contender in race.head.contenders:
        keys = [(contender.label, work) for work in works]
        row = [_entry(cells.get(key, []), valid.get(key, []), party) for key in keys]
        table.add_row(Text(contender.label), *row)
    reasons = dict.fromkeys(_reason(cell) for cell in ran if cell.status == "failed")
    notes = [*reasons, *_legend(ran, any(not_the_limit(one, party) for one in valid.values()))]
    table.caption = Text("\n".join(notes)) if notes else None
    return table


def latencies(analysis: Analysis) -> Table | None:
    """CPU per unit, p50, p99 and p99.9 at each fixed rate; None where there is none."""
    rated = [cell for cell in analysis.race.cells if cell.load.rate is not None]
    table = _table("milliseconds at a fixed rate")
    for name in (analysis.discipline.task, analysis.discipline.contender):
        table.add_column(name, no_wrap=True)
    for name in ("rate/s", "CPU µs", "p50", "p99", "p99.9"):
        table.add_column(name, justify="right", no_wrap=True)
    party = analysis.discipline.parties[0]
    ran, counted = _groups(rated), _groups(analysis.counted)
    for work in in_order((cell.work for cell in rated), analysis.discipline):
        for label in sorted(label for label, one in ran if one == work):
            cells = counted.get((label, work), [])
            figures = _percentiles(cells) or [state(ran[label, work], cells, False, party)[0]]
            cpu = median(cpu_us(party)(cell) for cell in cells)
            told = words.NONE if cpu is None else f"{cpu:.1f}"
            table.add_row(work.task, label, f"{work.load.rate:,.0f}", told, *figures)
    return table if rated else None


def _groups(cells: Iterable[Cell]) -> dict[tuple[str, Work], list[Cell]]:
    """By contender's label and work."""
    found: dict[tuple[str, Work], list[Cell]] = {}
    for cell in cells:
        found.setdefault((cell.label, cell.work), []).append(cell)
    return found


def _percentiles(cells: Sequence[Cell]) -> list[str]:
    """Three milliseconds; none without cells."""
    merged = histogram.merge(cell.histogram for cell in cells)
    found = [histogram.percentile(merged, percent) for percent in (50, 99, 99.9)]
    shown = [words.NONE if us is None else f"{us / 1000:.1f}" for us in found]
    return shown if cells else []


def _entry(ran: Sequence[Cell], valid: Sequence[Cell], party: str) -> Text:
    rate = median(cell.throughput for cell in valid)
    if rate is not None:
        return Text(f"≥{short(rate)}" if not_the_limit(valid, party) else short(rate))
    if any(cell.status == "failed" for cell in ran):
        return Text("failed", "red")
    unsure = median(cell.throughput for cell in ran if cell.status == "invalid")
    return Text("–" if unsure is None else f"{short(unsure)}?", "yellow")


def short(rate: float) -> str:
    """Three digits and a unit, so that a row fits a terminal of 80 columns: 941, 12.3k, 1.21M."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if rate >= 0.9995 * limit:
            return f"{rate / limit:.3g}{unit}"
    return f"{rate:.0f}"


def _reason(cell: Cell) -> str:
    return f"failed: {cell.label} on {work_text(cell.work)}: {cell.reason}"


def _legend(cells: Sequence[Cell], bounded: bool) -> list[str]:
    lines = []
    if any(cell.status == "invalid" for cell in cells):
        lines.append("?: measured on a disturbed machine or with errors; not ranked")
    if bounded:
        lines.append("≥: something else than the party under test was the limit; not ranked")
    return lines


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
