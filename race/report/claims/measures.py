"""The measures that a claim can be about: each makes a text from runs and words.

Several runs of one scenario are merged: a ratio has its interval between runs, another figure is
the median of the runs' own, and a word must be the same in all of them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from race.analysis.distributions import ROWS
from race.analysis.merge import MergedPair, between, margin
from race.analysis.model import Comparison, ContenderResult
from race.analysis.pairing import Pairing, Run
from race.errors import RaceError, unknown
from race.report import format as words
from race.report.claims import timelines
from race.report.claims.pairs import Side, Sides, comparisons, pair
from race.report.claims.times import times

UNRANKED = "not ranked"
DISAGREE = "pairs disagree"
MEAN = "+"
"""Joins tasks whose geometric mean is compared."""

Runs = Sequence[Run]


class Measure(NamedTuple):
    """`takes` are the words after the runs; `text` is called with the runs and those words."""

    takes: tuple[str, ...]
    text: Callable[..., str]


def measure(name: str, runs: Runs, rest: Sequence[str]) -> str:
    """Return the text of a measure; RaceError for missing, additional or unknown words."""
    wanted = MEASURES[name]
    if len(rest) != len(wanted.takes):
        takes = " ".join(wanted.takes) or "nothing"
        raise RaceError(f"'{name}' takes {takes} after the runs, not {' '.join(rest) or 'nothing'}")
    return wanted.text(runs, *rest)


def verdict(pair: MergedPair | Pairing) -> str:
    """Return the verdict on the first of two contenders, in a few words."""
    if pair.ratio is None:
        return words.verdict(pair.cpu, pair.cpu_verdict, of_cpu=True) if pair.cpu else UNRANKED
    return words.verdict(pair.ratio, pair.verdict)


def sides(runs: Runs, tasks: str, first: str, second: str) -> Sides:
    """Return two contenders on a task, or on the mean of several that `MEAN` joins."""
    found = tuple(tasks.split(MEAN))
    return Sides(runs, Side(found, first), Side(found, second))


def _ratio(runs: Runs, task: str, first: str, second: str) -> str:
    if MEAN not in task:
        return str(pair(runs, task, first, second).ratio or UNRANKED)
    both = sides(runs, task, first, second)
    bounded = both.bounds(both.first) or both.bounds(both.second)
    return UNRANKED if bounded else str(both.ratio() or words.NONE)


def _least_ratio(runs: Runs, task: str, first: str, second: str) -> str:
    """Return the ratio of a lower bound to a rate."""
    return _of_a_bound(sides(runs, task, first, second))


def _tasks_ratio(runs: Runs, task: str, other: str, label: str) -> str:
    """Return the ratio of a contender on one task to itself on another."""
    both = Sides(runs, Side((task,), label), Side((other,), label))
    return _of_a_bound(both) if both.bounds(both.first) else str(both.ratio() or words.NONE)


def _of_a_bound(both: Sides) -> str:
    if both.bounds(both.second):
        return UNRANKED
    ratio = both.ratio()
    return f"≥ {ratio}" if ratio else words.NONE


def _cpu_ratio(runs: Runs, task: str, first: str, second: str) -> str:
    return str(pair(runs, task, first, second).cpu or words.NONE)


def _verdict(runs: Runs, task: str, first: str, second: str) -> str:
    return verdict(pair(runs, task, first, second))


def _effect(runs: Runs, task: str, factor: str, level: str, reference: str) -> str:
    wanted, found = f"{factor} {level} {reference}", []
    for run, comparison in _both(runs, task):
        effects = [one for work, one in run.analysis.effects if work == comparison.work]
        known = {f"{one.factor} {one.level} {one.reference}": one.estimate for one in effects}
        if wanted not in known:
            raise unknown("effect", wanted, known)
        found.append(known[wanted])
    return str(between(found) or DISAGREE)


def _both(runs: Runs, task: str) -> Iterable[tuple[Run, Comparison]]:
    return zip(runs, comparisons(runs, task), strict=True)


def _results(runs: Runs, tasks: str, label: str) -> list[tuple[Comparison, ContenderResult]]:
    side = Side(tuple(tasks.split(MEAN)), label)
    return list(Sides(runs, side, side).results(side))


def _user_load(runs: Runs, task: str, first: str, second: str, figure: str) -> str:
    return str(timelines.user_load_ratio(runs, task, first, second, figure) or words.NONE)


def _rows(runs: Runs, tasks: str, label: str) -> str:
    """Return the rows a second, and the operations a second."""
    rows = _median(runs, tasks, label, _rows_per_second)
    rate = _median(runs, tasks, label, _rate)
    if rows is None:
        return words.NONE
    return f"{words.number(rows)} rows/s ({words.number(rate)} a second)"


def _rows_per_second(item: ContenderResult) -> float | None:
    rows, rate = item.facts.get(ROWS), _rate(item)
    return rows * rate if rows and rate else None


def _rate(item: ContenderResult) -> float | None:
    return item.throughput.median if item.throughput else None


def _times(runs: Runs, tasks: str, label: str) -> str:
    return times(runs, Side(tuple(tasks.split(MEAN)), label))


def _figure(
    number: Callable[..., float | None], shown: Callable[[float | None], str], *takes: str
) -> Measure:
    """Return the measure that is the median over runs of a figure of one contender, each the
    geometric mean over tasks that `MEAN` joins.

    `number` is called with a result, and with a word for each of `takes`.
    """

    def text(runs: Runs, tasks: str, label: str, *more: str) -> str:
        return shown(_median(runs, tasks, label, lambda item: number(item, *more)))

    return Measure((*ONE, *takes), text)


def _median(
    runs: Runs, tasks: str, label: str, number: Callable[[ContenderResult], float | None]
) -> float | None:
    """Return the median over the runs that know a figure."""
    found = []
    for run in runs:
        results = _results([run], tasks, label)
        known = [one for _, item in results if (one := number(item)) is not None]
        if len(known) == len(results):
            found.append(math.prod(known) ** (1 / len(known)))
    return statistics.median(found) if found else None


def _saturated(runs: Runs, task: str, label: str) -> str:
    return _same(item.saturated or words.NONE for _, item in _results(runs, task, label))


def _rank(runs: Runs, task: str, label: str) -> str:
    return _same(words.rank(*found) for found in _results(runs, task, label))


def _margin(runs: Runs, task: str) -> str:
    found = margin(comparisons(runs, task))
    return f"{100 * math.expm1(found):.1f} %" if math.isfinite(found) else "unknown"


def _controls(runs: Runs, task: str) -> str:
    found = [one.controls.estimate.ratio for one in comparisons(runs, task) if one.controls]
    return f"{100 * (max(found) - 1):.1f} %" if found else words.NONE


def _noise(runs: Runs, task: str) -> str:
    """Return the A/A twin's ratio on this very task; one that another task lends does not count."""
    found = (one.noise for one in comparisons(runs, task))
    ratios = sorted(one.estimate.ratio for one in found if one and one.measured_here)
    ends = dict.fromkeys([*ratios[:1], *ratios[-1:]])
    return " to ".join(f"{one:.3f}" for one in ends) or words.NONE


def _rounds(runs: Runs) -> str:
    return _same(str(run.analysis.rounds) for run in runs)


def _cells(runs: Runs, status: str) -> str:
    return f"{sum(run.analysis.trust.cells.get(status, 0) for run in runs):,}"


def _connections(runs: Runs, task: str) -> str:
    used = [one.connections for _, one in _both(runs, task)]
    return _same(" to ".join(map(str, dict.fromkeys(both))) for both in used)


def _same(texts: Iterable[str]) -> str:
    """Return what all runs say, or each run's own in order."""
    found = list(texts)
    return found[0] if len(set(found)) == 1 else " / ".join(found)


ONE = ("TASK", "CONTENDER")
PAIR = ("TASK", "A", "B")
MEASURES = {
    "ratio": Measure(PAIR, _ratio),
    "least-ratio": Measure(PAIR, _least_ratio),
    "tasks-ratio": Measure(("TASK", "OTHER", "CONTENDER"), _tasks_ratio),
    "cpu-ratio": Measure(PAIR, _cpu_ratio),
    "verdict": Measure(PAIR, _verdict),
    "effect": Measure(("TASK", "FACTOR", "LEVEL", "REFERENCE"), _effect),
    "user-load": Measure((*PAIR, "FIGURE"), _user_load),
    "seen": Measure((*ONE, "FIGURE"), timelines.seen),
    "watched": Measure((*ONE, "FIGURE"), timelines.watched),
    "rate": _figure(_rate, words.number),
    "rows": Measure(ONE, _rows),
    "times": Measure(ONE, _times),
    "busy": _figure(lambda item: item.busy, words.percent),
    "counted": _figure(lambda item: item.cells, lambda cells: f"{cells:g}"),
    "saturated": Measure(ONE, _saturated),
    "rank": Measure(ONE, _rank),
    "cpu": _figure(lambda item, party: item.cpu_us.get(party), words.number, "PARTY"),
    "fact": _figure(
        lambda item, name: item.facts.get(name), lambda value: words.figure(value, "count"), "NAME"
    ),
    "latency": _figure(
        lambda item, name: item.latency_us.get(name), words.milliseconds, "PERCENTILE"
    ),
    "margin": Measure(("TASK",), _margin),
    "controls": Measure(("TASK",), _controls),
    "noise": Measure(("TASK",), _noise),
    "connections": Measure(("TASK",), _connections),
    "rounds": Measure((), _rounds),
    "cells": Measure(("STATUS",), _cells),
}
"""Measures by the word that a claim begins with; a claim without one is a ratio."""
