"""What a claim can be about: one function for each measure, from runs and words to a text.

Several runs of one scenario are merged: a ratio has its interval between runs, another figure is
the median of the runs' own, and a word must be the same in all of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from race.analysis import user_loads
from race.analysis.merge import MergedPair, between, merged_pair
from race.analysis.model import Comparison, ContenderResult, Spread
from race.analysis.pairing import Run
from race.analysis.user_loads import Side
from race.analysis.values import load_text
from race.errors import RaceError, unknown
from race.report import format as words
from race.report.sentences import connections
from race.saved.model import Work
from race.stats.effects import Effect

APART, TIE, UNRANKED = ("faster", "slower"), "cannot be told apart", "not ranked"
DISAGREE = "pairs disagree"

Measured = Callable[..., str]


class Measure(NamedTuple):
    """`takes` are the words after the runs; `measured` is called with the runs and those words."""

    takes: tuple[str, ...]
    measured: Measured


def task_word(work: Work) -> str:
    """A task and what is special about its load in one word: "ugly:x24", "wide:c10", "good:2000/s",
    "reports:Steps".
    """
    load = work.load
    parts = [work.task, *([f"x{load.pipeline}"] if load.pipeline > 1 else [])]
    parts += [load.user_load.shape] if load.user_load else []
    parts += [f"c{load.connections}"] if load.fixed else []
    return ":".join([*parts, *([f"{load.rate:g}/s"] if load.rate is not None else [])])


def comparisons(runs: Sequence[Run], task: str) -> list[Comparison]:
    """Return the comparisons of a task, one of each run; RaceError where a run has none.

    A task is given in one word, "wide:c10", or as a plan or a table prints it: "wide c10",
    "wide (10 at once)", "Wide rows, 10 at once".
    """
    found = []
    for run in runs:
        known = {task_word(one.work): one for one in reversed(run.analysis.comparisons)}
        printed = {text: one for one in known.values() for text in _printed(one)}
        if task not in known and task not in printed:
            raise unknown(run.analysis.discipline.task, task, known)
        found.append(known.get(task) or printed[task])
    return found


def _printed(comparison: Comparison) -> tuple[str, ...]:
    work, unit = comparison.work, comparison.discipline.unit
    word = task_word(work).replace(":", " ")
    return word, f"{work.task} ({load_text(work.load, unit)})", comparison.place


def pair(runs: Sequence[Run], task: str, first: str, second: str) -> MergedPair:
    """Two contenders on a task, over all runs."""
    return merged_pair(runs, comparisons(runs, task), first, second)


def verdict(found: MergedPair) -> str:
    """Of the first against the second, in the words of a claim."""
    if found.ratio is None:
        return UNRANKED
    if found.winner is None:
        return TIE
    return APART[found.winner == found.second]


def _ratio(runs: Sequence[Run], task: str, first: str, second: str) -> str:
    found = pair(runs, task, first, second).ratio
    return str(found) if found else UNRANKED


def _cpu_ratio(runs: Sequence[Run], task: str, first: str, second: str) -> str:
    found = pair(runs, task, first, second).cpu
    return str(found) if found else words.NONE


def _verdict(runs: Sequence[Run], task: str, first: str, second: str) -> str:
    return verdict(pair(runs, task, first, second))


def _effect(runs: Sequence[Run], task: str, factor: str, level: str, reference: str) -> str:
    found = [_one_effect(run, one, factor, level, reference) for run, one in _both(runs, task)]
    estimate = between([one.estimate for one in found])
    return str(estimate) if estimate else DISAGREE


def _one_effect(
    run: Run, comparison: Comparison, factor: str, level: str, reference: str
) -> Effect:
    known = {
        f"{one.factor} {one.level} {one.reference}": one
        for work, one in run.analysis.effects
        if work == comparison.work
    }
    wanted = f"{factor} {level} {reference}"
    if wanted not in known:
        raise unknown("effect", wanted, known)
    return known[wanted]


def _both(runs: Sequence[Run], task: str) -> Iterable[tuple[Run, Comparison]]:
    return zip(runs, comparisons(runs, task), strict=True)


def _results(runs: Sequence[Run], task: str, label: str) -> list[ContenderResult]:
    found = []
    for comparison in comparisons(runs, task):
        known = {item.label: item for item in comparison.results}
        if label not in known:
            raise unknown(comparison.discipline.contender, label, known)
        found.append(known[label])
    return found


def _user_load(runs: Sequence[Run], task: str, first: str, second: str, figure: str) -> str:
    if figure not in user_loads.MEASURES:
        raise unknown("figure of a user load", figure, user_loads.MEASURES)
    for label in (first, second):
        _results(runs, task, label)
    found = [
        user_loads.ratio(run.analysis, one.work, figure, first, second)
        for run, one in _both(runs, task)
    ]
    estimate = between(found)
    return str(estimate) if estimate else words.NONE


def _seen(runs: Sequence[Run], task: str, label: str, figure: str) -> str:
    """The median over rounds, with the least and the largest round."""
    if figure not in SEEN:
        raise unknown("figure of a user load", figure, SEEN)
    _results(runs, task, label)
    found = [
        side
        for run, comparison in _both(runs, task)
        for group in user_loads.user_loads(run.analysis)
        for side in group.sides
        if group.comparison.work == comparison.work and side.item.label == label
    ]
    number, shown = SEEN[figure]
    return _same(words.spread(number(side), shown) for side in found) if found else words.NONE


def _figure(
    number: Callable[[ContenderResult], float | None], shown: Callable[[float | None], str]
) -> Measure:
    """The median over runs of a figure of one contender."""

    def measured(runs: Sequence[Run], task: str, label: str) -> str:
        return shown(_middle(number(item) for item in _results(runs, task, label)))

    return Measure(("TASK", "CONTENDER"), measured)


def _units_per_second(item: ContenderResult) -> float | None:
    return item.throughput.median if item.throughput else None


def _fact(runs: Sequence[Run], task: str, label: str, name: str) -> str:
    found = _results(runs, task, label)
    return words.figure(_middle(item.facts.get(name) for item in found), "count")


def _cpu_us(runs: Sequence[Run], task: str, label: str, party: str) -> str:
    found = _results(runs, task, label)
    return words.number(_middle(item.cpu_us.get(party) for item in found))


def _latency(runs: Sequence[Run], task: str, label: str, percentile: str) -> str:
    found = _results(runs, task, label)
    return words.milliseconds(_middle(item.latency_us.get(percentile) for item in found))


def _full(runs: Sequence[Run], task: str, label: str) -> str:
    return _same(item.full or words.NONE for item in _results(runs, task, label))


def _rank(runs: Sequence[Run], task: str, label: str) -> str:
    _results(runs, task, label)
    return _same(
        words.rank(comparison, item)
        for comparison in comparisons(runs, task)
        for item in comparison.results
        if item.label == label
    )


def _margin(runs: Sequence[Run], task: str) -> str:
    return words.margin(max(comparisons(runs, task), key=lambda one: one.margin))


def _controls(runs: Sequence[Run], task: str) -> str:
    found = [one.controls.estimate.ratio for one in comparisons(runs, task) if one.controls]
    return f"{100 * (max(found) - 1):.1f} %" if found else words.NONE


def _noise(runs: Sequence[Run], task: str) -> str:
    """Of the A/A twin on this very task: what another one lends says nothing of this."""
    found = (one.noise for one in comparisons(runs, task))
    ratios = sorted(one.estimate.ratio for one in found if one and one.measured_here)
    ends = dict.fromkeys([*ratios[:1], *ratios[-1:]])
    return " to ".join(f"{one:.3f}" for one in ends) or words.NONE


def _rounds(runs: Sequence[Run]) -> str:
    return _same(str(run.analysis.rounds) for run in runs)


def _cells(runs: Sequence[Run], status: str) -> str:
    return f"{sum(run.analysis.trust.cells.get(status, 0) for run in runs):,}"


def _connections(runs: Sequence[Run], task: str) -> str:
    used = [connections(run.analysis, one.work) for run, one in _both(runs, task)]
    return _same(" to ".join(map(str, dict.fromkeys(both))) for both in used)


def _middle(numbers: Iterable[float | None]) -> float | None:
    known = [one for one in numbers if one is not None]
    return statistics.median(known) if known else None


def _same(texts: Iterable[str]) -> str:
    """What all runs say; otherwise each run's own, in order."""
    found = list(texts)
    return found[0] if len(set(found)) == 1 else " / ".join(found)


SEEN: dict[str, tuple[Callable[[Side], Spread | None], Callable[[float | None], str]]] = {
    "p50": (lambda side: side.parts[user_loads.ALL].p50_us, words.milliseconds),
    "p95": (lambda side: side.p95_us, words.milliseconds),
    "failed": (lambda side: side.lost, words.percent),
}
"""What one contender showed a user load."""
PAIR = ("TASK", "A", "B")
MEASURES = {
    "ratio": Measure(PAIR, _ratio),
    "cpu-ratio": Measure(PAIR, _cpu_ratio),
    "verdict": Measure(PAIR, _verdict),
    "effect": Measure(("TASK", "FACTOR", "LEVEL", "REFERENCE"), _effect),
    "user-load": Measure((*PAIR, "FIGURE"), _user_load),
    "seen": Measure(("TASK", "CONTENDER", "FIGURE"), _seen),
    "rate": _figure(_units_per_second, words.number),
    "busy": _figure(lambda item: item.busy, words.percent),
    "counted": _figure(lambda item: item.cells, lambda cells: f"{cells:g}"),
    "full": Measure(("TASK", "CONTENDER"), _full),
    "rank": Measure(("TASK", "CONTENDER"), _rank),
    "cpu": Measure(("TASK", "CONTENDER", "PARTY"), _cpu_us),
    "fact": Measure(("TASK", "CONTENDER", "NAME"), _fact),
    "latency": Measure(("TASK", "CONTENDER", "PERCENTILE"), _latency),
    "margin": Measure(("TASK",), _margin),
    "controls": Measure(("TASK",), _controls),
    "noise": Measure(("TASK",), _noise),
    "connections": Measure(("TASK",), _connections),
    "rounds": Measure((), _rounds),
    "cells": Measure(("STATUS",), _cells),
}
"""By the word that a claim begins with; without one it is a ratio."""


def measure(name: str, runs: Sequence[Run], rest: Sequence[str]) -> str:
    """The text of a measure; RaceError when words are missing, too many or not known."""
    wanted = MEASURES[name]
    if len(rest) != len(wanted.takes):
        takes = " ".join(wanted.takes) or "nothing"
        raise RaceError(f"'{name}' takes {takes} after the runs, not {' '.join(rest) or 'nothing'}")
    return wanted.measured(runs, *rest)
