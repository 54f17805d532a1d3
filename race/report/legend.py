"""What the words and signs of a report mean, as far as this race has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from race.analysis import user_loads
from race.analysis.distributions import ROWS
from race.analysis.model import Analysis
from race.report import format as words
from race.report.fates import Fates
from race.report.took_part import those_that_ran
from race.saved.model import NOBODY


class Entry(NamedTuple):
    """A word or sign, and what it means."""

    term: str
    text: str


class Group(NamedTuple):
    """Entries on one subject."""

    title: str
    entries: list[Entry]


def legend(analysis: Analysis, cells: bool = True) -> list[Group]:
    """Tasks, names, figures; empty for a race without cells.

    `cells`: each cell is shown too, with the signs of its figures.
    """
    if not analysis.comparisons:
        return []
    discipline = analysis.discipline
    signs: Iterable[Entry] = _signs(analysis) if cells else ()
    found = (
        Group(f"The {discipline.task}s", list(_tasks(analysis))),
        Group(f"The names of {discipline.contender}s", list(_names(analysis))),
        Group("The figures", [*_figures(analysis), *_limits(analysis), *_more(analysis), *signs]),
    )
    return [group for group in found if group.entries]


def _tasks(analysis: Analysis) -> Iterator[Entry]:
    """What each task does, in the order of the report; how it was driven otherwise than plainly."""
    discipline = analysis.discipline
    for title, task in dict.fromkeys((one.title, one.work.task) for one in analysis.comparisons):
        if task in discipline.task_texts:
            yield Entry(title, discipline.task_texts[task])
    depths = sorted({one.work.load.pipeline for one in analysis.comparisons} - {1})
    if depths:
        yield Entry(
            ", ".join(f"x{depth}" for depth in depths),
            f"So many {discipline.unit} are sent ahead on each connection before the first answer "
            f"has come (“{depths[0]} pipelined”).",
        )
    loads = [one.work.load for one in analysis.comparisons]
    if fixed := sorted({load.connections for load in loads if load.fixed}):
        yield Entry(
            ", ".join(f"c{number}" for number in fixed),
            f"So many {discipline.unit} are under way at a time, whoever is full: the next one "
            f"begins when one has ended (“{fixed[0]} at once”).",
        )
    if any(one.rated for one in analysis.comparisons):
        yield Entry(
            "a rate, as 2,000/s",
            f"So many {discipline.unit} are sent by the clock, whether or not the last was "
            "answered. Without a rate the next one is sent when the last was answered.",
        )


def _names(analysis: Analysis) -> Iterator[Entry]:
    """Levels that ran, where a name has them or others ran too; then the twin and the baseline."""
    head, discipline = analysis.race.head, analysis.discipline
    ran = those_that_ran(analysis)
    for factor, texts in discipline.level_texts.items():
        levels = {one.factors.get(factor) for one in ran}
        yield from (
            Entry(level, text)
            for level, text in texts.items()
            if level in levels and (len(levels) > 1 or any(level in one.label for one in ran))
        )
    if any(one.aa for one in ran):
        yield Entry(
            "A/A",
            f"One {discipline.contender} that runs twice, under two labels. What it differs from "
            "itself by is the noise of this race; differences must be larger to count.",
        )
    if head.baseline in {one.label for one in ran}:
        text = f"The one that the other {discipline.contender}s are compared with."
        yield Entry(head.baseline, text)


def _figures(analysis: Analysis) -> Iterator[Entry]:
    """Ratios and ranks."""
    closed, unit = analysis.closed(), analysis.discipline.unit
    results = [item for comparison in closed for item in comparison.results]
    if any(item.ratio and item.ratio.bounded for item in results):
        yield Entry(
            "1.25× [1.20, 1.31]",
            f"A ratio of {unit}/s, 1.25 times as fast, from ratios within rounds. The true one is "
            "within the brackets with 95 % confidence.",
        )
    if closed:
        yield Entry(
            "order",
            f"Best first by the mean of the ratios to all others, so that medians of {unit}/s need "
            "not fall from row to row; below them, by rate, who has no rank.",
        )
    yield from ranges(analysis)


def ranges(analysis: Analysis) -> Iterator[Entry]:
    """What a rank means that is a range, where there is one."""
    decided = [comparison for comparison in analysis.closed() if comparison.decided]
    found = {item.ranks for comparison in decided for item in comparison.results if item.ranks}
    widest = max(found, key=lambda ranks: (ranks[1] - ranks[0], -ranks[0]), default=(1, 1))
    if widest[0] < widest[1]:
        text = "The best and the worst rank that the rounds allow; which, this race cannot say."
        yield Entry(f"{widest[0]}–{widest[1]}", text)


WHOLE = (
    " alone; where it is not, it measures all of them together, and is ranked all the same: how "
    "many are under way is a part of the question"
)


def _limits(analysis: Analysis) -> Iterator[Entry]:
    """What stands behind a rate: who was full, how many cells."""
    closed, discipline = analysis.closed(), analysis.discipline
    unit, party = discipline.unit, discipline.parties[0]
    if any(item.state == "at-least" for comparison in closed for item in comparison.results):
        yield Entry(
            "≥, at least",
            f"A lower bound: not the {party} but another was full, or nobody, or it is not known "
            f"who. It has no rank; CPU time per {words.one(unit)} is compared instead.",
        )
    if closed:
        unknown = any(
            item.throughput and not item.saturated for one in closed for item in one.results
        )
        unseen = "; unknown where one of them could not be seen" if unknown else ""
        parties = ", ".join(discipline.parties)
        yield Entry(
            "full",
            f"Whose core had no more to give: {parties} or {NOBODY}{unseen}. "
            f"Only where it is the {party}’s does {unit}/s measure the {discipline.contender}"
            f"{WHOLE if all(one.work.load.fixed for one in closed) else ''}.",
        )
        yield Entry(
            "n",
            "Cells that count, of those planned where some do not. A cell is one "
            f"{discipline.contender} on one {discipline.task} in one round.",
        )


def _more(analysis: Analysis) -> Iterator[Entry]:
    """What is told beside the ranking: of fixed connections, of cells that were watched."""
    unit = analysis.discipline.unit
    fixed = [item for one in analysis.comparisons if one.work.load.fixed for item in one.results]
    if any(item.facts.get(ROWS, 0) > 1 for item in fixed):
        yield Entry(
            "rows/s, CPU µs/row",
            f"{unit.capitalize()}/s and CPU time by the rows that one of them reads or writes.",
        )
    if any(item.histogram for item in fixed):
        yield Entry(
            "p50, p99, max",
            f"What single {unit} took, of all cells that count together: half of them no longer "
            "than p50, 99 of 100 no longer than p99 (not told of fewer than 100), none longer than "
            "max.",
        )
    if user_loads.watched(analysis):
        yield Entry(
            "seconds, connections, in use, memory",
            f"Of a cell: how long its {unit} took together; how many connections to the database "
            "were open, and at work or in a transaction, at any moment at most; the most memory.",
        )


def _signs(analysis: Analysis) -> Iterator[Entry]:
    """Signs of single cells' figures that mean less than they seem to."""
    fates = Fates(analysis)
    if any(cell.count and fates.status(cell) != "ok" for cell in analysis.race.cells):
        yield Entry(
            "123?",
            "A raw figure of a cell that does not count: the machine was disturbed, there were "
            "errors, or it was measured again.",
        )
    if any(cell.no_latency for cell in analysis.counted):
        yield Entry(
            words.NONE,
            "In the place of a latency: too few connections were being answered to tell.",
        )
