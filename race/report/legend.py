"""The legend of a report: a line for each word and sign that this race has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from race.analysis import user_loads
from race.analysis.distributions import ROWS
from race.analysis.model import Analysis
from race.report import format as words
from race.report.outcomes import Outcomes
from race.report.versions import contenders
from race.saved.model import NOBODY
from race.stats.verdict import STRETCH


class LegendEntry(NamedTuple):
    """A word or sign, and what it means."""

    term: str
    text: str


class LegendGroup(NamedTuple):
    """Entries on one subject."""

    title: str
    entries: list[LegendEntry]


def legend(analysis: Analysis, cells: bool = True) -> list[LegendGroup]:
    """Return entries on tasks, names and figures; none for a race without cells.

    `cells`: each cell is shown too, with the signs of its figures.
    """
    if not analysis.comparisons:
        return []
    discipline = analysis.discipline
    signs: Iterable[LegendEntry] = _signs(analysis) if cells else ()
    found = (
        LegendGroup(f"The {discipline.task}s", [*_tasks(analysis), *_loads(analysis)]),
        LegendGroup(f"The names of {discipline.contender}s", list(_names(analysis))),
        LegendGroup(
            "The figures", [*_ratios(analysis), *_limits(analysis), *_more(analysis), *signs]
        ),
    )
    return [group for group in found if group.entries]


def _tasks(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return what each task does, in the order of the report."""
    texts = analysis.discipline.task_texts
    for title, task in dict.fromkeys((one.title, one.work.task) for one in analysis.comparisons):
        if task in texts:
            yield LegendEntry(title, texts[task])


def _loads(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return how tasks were driven, where that is not one unit after the other."""
    unit, loads = analysis.discipline.unit, [one.work.load for one in analysis.comparisons]
    depths = sorted({load.pipeline for load in loads} - {1})
    if depths:
        yield LegendEntry(
            ", ".join(f"x{depth}" for depth in depths),
            f"Pipelined: so many {unit} are sent on each connection before the first answer comes.",
        )
    if fixed := sorted({load.connections for load in loads if load.fixed}):
        yield LegendEntry(
            ", ".join(f"c{number}" for number in fixed),
            f"So many {unit} at once: the next one begins when one has ended.",
        )
    if any(load.rate is not None for load in loads):
        yield LegendEntry(
            "a rate, as 2,000/s",
            f"Open loop: {unit} are sent by the clock. Without a rate the loop is closed: the next "
            "one is sent when the last was answered.",
        )


def _names(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return levels that ran, where a name has them or others ran too; the twin; the baseline."""
    head, discipline = analysis.race.head, analysis.discipline
    ran = contenders(analysis)
    for factor, texts in discipline.level_texts.items():
        levels = {one.factors.get(factor) for one in ran}
        yield from (
            LegendEntry(level, text)
            for level, text in texts.items()
            if level in levels and (len(levels) > 1 or any(level in one.label for one in ran))
        )
    if any(one.aa for one in ran):
        yield LegendEntry(
            "A/A twin",
            f"{words.a(discipline.contender).capitalize()} that runs twice, under two labels: what "
            "the two differ by "
            "is the noise of this race. The A/A bound is the largest difference that their "
            "interval allows.",
        )
    if head.baseline in {one.label for one in ran}:
        text = f"The baseline, which the other {discipline.contender}s are compared with."
        yield LegendEntry(head.baseline, text)


def _ratios(analysis: Analysis) -> Iterator[LegendEntry]:
    closed, unit = analysis.closed(), analysis.discipline.unit
    results = [item for comparison in closed for item in comparison.results]
    if any(item.ratio and item.ratio.bounded for item in results):
        yield LegendEntry(
            "1.25× [1.20, 1.31]",
            f"1.25 times the {unit}/s, as a ratio within rounds; the brackets are its 95 % "
            "interval, for the hour of this race: they say nothing about another day.",
        )
        yield LegendEntry(
            "margin",
            "A win must exceed it: 3 %, or how far the same code may differ from itself here. To "
            "be shown equal, two must have an interval that stays within the margin at "
            f"{STRETCH} times its width. Everything else is undecided.",
        )
    if closed:
        yield LegendEntry(
            "order",
            "Best first by the mean of the ratios to all others; then, by rate, those not ranked.",
        )
    yield from ranges(analysis)


def ranges(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return what a rank means that is a range, where there is one."""
    decided = [comparison for comparison in analysis.closed() if comparison.decided]
    found = {item.ranks for comparison in decided for item in comparison.results if item.ranks}
    widest = max(found, key=lambda ranks: (ranks[1] - ranks[0], -ranks[0]), default=(1, 1))
    if widest[0] < widest[1]:
        text = "The true rank is one of these; this race cannot say which."
        yield LegendEntry(f"{widest[0]}–{widest[1]}", text)


def brief(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return what short headings on a terminal mean, and a rank that is a range."""
    closed, discipline = analysis.closed(), analysis.discipline
    unit, party = words.one(discipline.unit), discipline.parties[0]
    if closed:
        yield LegendEntry("µs", f"CPU time of the {party} per {unit}, in microseconds.")
        text = f"How busy the {party}’s core was; below, who was saturated if not the {party}."
        yield LegendEntry(party, text)
        yield LegendEntry("n", "Cells that count.")
    yield from ranges(analysis)


def _limits(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return what stands behind a rate: who was saturated, how many cells."""
    closed, discipline = analysis.closed(), analysis.discipline
    unit, party = discipline.unit, discipline.parties[0]
    results = [item for comparison in closed for item in comparison.results]
    if any(item.state == "at-least" for item in results):
        yield LegendEntry(
            "≥, at least",
            f"A lower bound, because the {party} was not the limit as far as is known. It is "
            "ranked only where it lies beyond the margin above another’s rate; CPU time per "
            f"{words.one(unit)} is compared instead.",
        )
    if closed:
        unknown = any(item.throughput and not item.saturated for item in results)
        parties = ", ".join(discipline.parties)
        yield LegendEntry(
            "saturated",
            f"The party whose core was busy for 90 % of the time or more: {parties} or {NOBODY}"
            f"{', unknown where one could not be seen' if unknown else ''}. Only where it is the "
            f"{party} alone does {unit}/s measure the {discipline.contender}.",
        )
        yield LegendEntry(
            "n",
            f"Cells that count. A cell is one {discipline.contender} on one {discipline.task} in "
            "one round.",
        )


def _more(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return what stands beside the ranking: of a fixed number at once, of watched cells."""
    unit = analysis.discipline.unit
    fixed = [item for one in analysis.comparisons if one.work.load.fixed for item in one.results]
    if any(item.facts.get(ROWS, 0) > 1 for item in fixed):
        yield LegendEntry(
            "rows/s, CPU µs/row",
            f"{unit.capitalize()}/s and CPU time by the rows that one of them reads or writes.",
        )
    if any(item.histogram for item in fixed):
        yield LegendEntry(
            "p50, p99, max",
            f"Percentiles of the times of single {unit}: half took no longer than p50, 99 of 100 "
            "no longer than p99 (not shown of fewer than 100), none longer than max.",
        )
    if user_loads.watched(analysis):
        yield LegendEntry(
            "seconds, connections, memory",
            f"How long a cell’s {unit} took together; how many connections to the database were "
            "open, and in use (at work or in a transaction), at most; the most memory.",
        )


def _signs(analysis: Analysis) -> Iterator[LegendEntry]:
    """Return the signs of single cells' figures that mean less than they seem to."""
    outcomes = Outcomes(analysis)
    if any(cell.count and outcomes.status(cell) != "ok" for cell in analysis.race.cells):
        yield LegendEntry(
            "123?",
            "The raw figure of a cell that does not count: the machine was disturbed, there were "
            "errors, or it was measured again.",
        )
    if any(cell.no_latency for cell in analysis.counted):
        yield LegendEntry(
            words.NONE,
            "In place of a latency: too few connections were being answered for one.",
        )
