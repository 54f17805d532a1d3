"""The one evaluator of claims: two sides over one run or several, their ratio and who wins."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from race.analysis import merge, values
from race.analysis.differences import connections, whatever_connections
from race.analysis.distributions import mean_logs
from race.analysis.merge import MergedPair, between, merged_pair
from race.analysis.model import Comparison, ContenderResult
from race.analysis.pairing import Run, not_raced
from race.analysis.values import Values
from race.errors import RaceError, unknown
from race.saved.model import Work
from race.stats import processes
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN
from race.stats.processes import Kept, RoundValues, log_ratios
from race.stats.verdict import winner

OWN_RATE = ("ranked", "user-load")
"""States of contenders whose rate is no lower bound."""


def task_word(work: Work) -> str:
    """Return a task and what is special about its load as one word.

    Examples: "ugly:x24" (24 pipelined), "wide:c10" (10 at once), "good:2000/s", "reports:Steps".
    """
    load = work.load
    parts = [work.task, *([f"x{load.pipeline}"] if load.pipeline > 1 else [])]
    parts += [load.user_load.shape] if load.user_load else []
    parts += [f"c{load.connections}"] if load.fixed else []
    return ":".join([*parts, *([f"{load.rate:g}/s"] if load.rate is not None else [])])


def comparisons(runs: Sequence[Run], task: str) -> list[Comparison]:
    """Return the comparison of a task in each run; RaceError where a run has none, or where two
    runs loaded it with other connections.

    A task is given in one word, "wide:c10", or as a plan or a table prints it: "wide c10",
    "wide (10 at once)", "Wide rows, 10 at once".
    """
    found = [_comparison(run, task) for run in runs]
    work = whatever_connections(found[0].work)
    for run in runs[1:]:
        if unlike := connections(runs[0].analysis.race, run.analysis.race).get(work):
            raise RaceError(f"{runs[0].name} and {run.name} are not joined: {unlike}")
    return found


def _comparison(run: Run, task: str) -> Comparison:
    known = {task_word(one.work): one for one in reversed(run.analysis.comparisons)}
    printed = {text: one for one in known.values() for text in _printed(one)}
    if task not in known and task not in printed:
        raise unknown(run.analysis.discipline.task, task, known)
    return known.get(task) or printed[task]


def _printed(comparison: Comparison) -> tuple[str, ...]:
    work, unit = comparison.work, comparison.discipline.unit
    word = task_word(work).replace(":", " ")
    return word, f"{work.task} ({values.load_text(work.load, unit)})", comparison.place


def pair(runs: Sequence[Run], task: str, first: str, second: str) -> MergedPair:
    """Compare two contenders on one task over all runs."""
    return merged_pair(runs, comparisons(runs, task), first, second)


class Side(NamedTuple):
    """A contender on a task, or on several whose geometric mean counts."""

    tasks: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class Sides:
    """`first` over `second` in each of `runs`; both ran on all of their tasks."""

    runs: Sequence[Run]
    first: Side
    second: Side

    def results(self, side: Side) -> Iterator[tuple[Comparison, ContenderResult]]:
        """Yield the results of a side: of each run, of each task; RaceError without one."""
        for run in self.runs:
            for comparison in (_comparison(run, task) for task in side.tasks):
                item = comparison.result(side.label)
                if item is None:
                    raise not_raced(comparison, side.label)
                yield comparison, item

    def bounds(self, side: Side) -> dict[str, list[str]]:
        """Return what limited a side whose rate is a lower bound, to the tasks where it did."""
        return by_text(
            (item.limit or item.reason or item.state, comparison.work.task)
            for comparison, item in self.results(side)
            if item.state not in OWN_RATE
        )

    def compared(self) -> tuple[Estimate | None, int]:
        """Return the ratio of rates, and who is declared the winner: 1 the first, -1 the second, 0
        neither.

        Two contenders on one task are compared as a report does it, everything else by `ratio`.
        """
        first, second = self.first, self.second
        if first.tasks == second.tasks and len(first.tasks) == 1:
            merged = pair(self.runs, first.tasks[0], first.label, second.label)
            return merged.ratio, {None: 0, first.label: 1, second.label: -1}[merged.winner]
        ratio = self.ratio()
        return ratio, self.winner(ratio)

    def ratio(self) -> Estimate | None:
        """Return the ratio of the geometric means over tasks, from the rounds that have all tasks
        of both sides; None without any.
        """
        return self._ratio(_rates, lambda comparison: comparison.kept)

    def cpu_ratio(self) -> Estimate | None:
        """Return the ratio of CPU time per unit of the party under test, as `ratio` does."""
        return self._ratio(lambda run: run.cpu, lambda comparison: comparison.cpu_kept)

    def _ratio(
        self, measure: Callable[[Run], Values], kept: Callable[[Comparison], Kept]
    ) -> Estimate | None:
        found = []
        for run in self.runs:
            known = measure(run)
            logs = [_logs(run, side, known) for side in (self.first, self.second)]
            tasks = (*self.first.tasks, *self.second.tasks)
            both = processes.mean([kept(_comparison(run, task)) for task in tasks])
            found.append(both.estimate(log_ratios(*logs)))
        return between(found)

    def winner(self, ratio: Estimate | None) -> int:
        """Return who wins by this ratio and the margin: 1 the first, -1 the second, 0 neither."""
        return winner(ratio, self.margin())

    def margin(self) -> float:
        """Return the widest margin of any task over all runs, on the log scale.

        A contender against itself is one process, so the difference between processes is no part
        of the margin there.
        """
        return self._widest(merge.margin)

    def cpu_margin(self) -> float:
        """Return the widest margin of ratios of CPU time, as `margin` does."""
        return self._widest(merge.cpu_margin)

    def _widest(self, margin: Callable[[Sequence[Comparison]], float]) -> float:
        if self.first.label == self.second.label:
            return LEAST_MARGIN
        tasks = {*self.first.tasks, *self.second.tasks}
        margins = [margin(comparisons(self.runs, task)) for task in tasks]
        return max(filter(math.isfinite, margins), default=math.inf)


def by_text(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return each text with the tasks that it is about, without repetition."""
    tasks: dict[str, list[str]] = {}
    for text, task in dict.fromkeys(found):
        tasks.setdefault(text, []).append(task)
    return tasks


def _rates(run: Run) -> Values:
    return values.values(run.analysis.counted, values.rate)


def _logs(run: Run, side: Side, found: Values) -> RoundValues:
    works = [_comparison(run, task).work for task in side.tasks]
    return mean_logs([found.get(work, {}).get(side.label, {}) for work in works])
