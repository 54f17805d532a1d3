"""Figures of races with a timeline: user loads, and workloads that are watched while they run."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from race.analysis import user_loads
from race.analysis.merge import between
from race.analysis.model import Comparison, Spread, spread
from race.analysis.pairing import Run, not_raced
from race.errors import RaceError, unknown
from race.report import format as words
from race.report.claims.pairs import comparisons
from race.saved.model import Cell
from race.stats.estimate import Estimate

Runs = Sequence[Run]
Shown = Callable[[float | None], str]

WINDOW = 3
"""A figure of a moment is of the three seconds before it."""


def user_load_ratio(runs: Runs, task: str, first: str, second: str, figure: str) -> Estimate | None:
    """Return the ratio of a figure that two contenders showed a user load, over all runs."""
    if figure not in user_loads.MEASURES:
        raise unknown("figure of a user load", figure, user_loads.MEASURES)
    return between(
        [
            user_loads.ratio(run.analysis, comparison.work, figure, first, second)
            for run, comparison in _each(runs, task, first, second)
        ]
    )


def seen(runs: Runs, task: str, label: str, figure: str) -> str:
    """Return the median over rounds of what users saw, with the least and the largest round.

    The figure is one of SEEN, `p50:PART` ("p50:Report 1"), or `NAME@USERS` ("throughput@50"): a
    figure of TIMELINES while so many users were there.
    """
    number, shown = _figure(figure)
    texts = [
        words.spread(number(side, _cells(run, comparison, label)), shown)
        for run, comparison in _each(runs, task, label)
        for group in user_loads.user_loads(run.analysis)
        for side in group.sides
        if group.comparison.work == comparison.work and side.item.label == label
    ]
    return " / ".join(dict.fromkeys(texts)) or words.NONE


def watched(runs: Runs, task: str, label: str, figure: str) -> str:
    """Return a figure of WATCHED: the median over runs."""
    if figure not in WATCHED:
        raise unknown("figure of a watched load", figure, WATCHED)
    number, shown = WATCHED[figure]
    found = [
        value
        for run, comparison in _each(runs, task, label)
        for one in user_loads.watched(run.analysis)
        for side in one.sides
        if one.comparison.work == comparison.work and side.item.label == label
        if (value := number(side)) is not None
    ]
    return shown(statistics.median(found) if found else None)


Number = Callable[[user_loads.UserLoadResult, Sequence[Cell]], Spread | None]


def _figure(figure: str) -> tuple[Number, Shown]:
    """Return what finds a figure, and how it reads; RaceError where it is not known."""
    name, at, users = figure.partition("@")
    if at and name in user_loads.TIMELINES and users.isdecimal():
        return partial(_while, name, int(users)), UNITS.get(name, _count)
    name, of, part = figure.partition(":")
    if of and name == "p50":
        return partial(_of_part, part), words.milliseconds
    if figure not in SEEN:
        raise unknown("figure of a user load", figure, SEEN)
    return SEEN[figure]


def _of_part(part: str, side: user_loads.UserLoadResult, cells: Sequence[Cell]) -> Spread | None:
    if part not in side.by_name:
        raise RaceError(f"unknown part {part!r}: there are {', '.join(side.by_name)}")
    return side.by_name[part].p50_us


def _while(
    name: str, users: int, side: user_loads.UserLoadResult, cells: Sequence[Cell]
) -> Spread | None:
    return spread(_mean(cell, name, users) for cell in cells)


def _mean(cell: Cell, name: str, users: int) -> float | None:
    """Return the mean of a figure over the moments of whose whole window there were `users`."""
    moments, figure = cell.timeline, user_loads.TIMELINES[name]
    found = [
        value
        for at, moment in islice(enumerate(moments), WINDOW, None)
        if all(one.users == users for one in moments[at - WINDOW : at + 1])
        if (value := figure(moment)) is not None
    ]
    return statistics.fmean(found) if found else None


def _each(runs: Runs, task: str, *labels: str) -> Iterator[tuple[Run, Comparison]]:
    """Yield the comparison of each run; RaceError where one of `labels` did not run."""
    for run, comparison in zip(runs, comparisons(runs, task), strict=True):
        for label in labels:
            if comparison.result(label) is None:
                raise not_raced(comparison, label)
        yield run, comparison


def _cells(run: Run, comparison: Comparison, label: str) -> list[Cell]:
    return [
        cell
        for cell in user_loads.shown_cells(run.analysis)
        if cell.work == comparison.work and cell.label == label
    ]


def _per_second(rate: float | None) -> str:
    return words.NONE if rate is None else f"{words.number(rate)} a second"


def _count(value: float | None) -> str:
    return words.figure(value, "count")


def _seconds(value: float | None) -> str:
    return words.NONE if value is None else f"{words.number(value)} s"


SEEN: dict[str, tuple[Number, Shown]] = {
    "p50": (lambda side, _: side.by_name[user_loads.ALL].p50_us, words.milliseconds),
    "p95": (lambda side, _: side.p95_us, words.milliseconds),
    "failed": (lambda side, _: side.lost, words.percent),
}
"""The figures that one contender showed a user load."""
UNITS: dict[str, Shown] = {
    "throughput": _per_second,
    "p50": words.milliseconds,
    "p95": words.milliseconds,
}
"""How figures of TIMELINES read; all others are counts."""
WATCHED: dict[str, tuple[Callable[[user_loads.UserLoadResult], float | None], Shown]] = {
    "seconds": (words.seconds, _seconds),
    "connections": (lambda side: words.most(side, "connections"), _count),
    "active": (lambda side: words.most(side, "active"), _count),
}
"""How long a watched workload took, and the most connections that were open and in use."""
