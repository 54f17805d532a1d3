"""What saved runs say of a question: a ratio, who won, and who was full."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from race.analysis import user_loads, values
from race.analysis.distributions import mean_logs
from race.analysis.merge import between
from race.analysis.model import Comparison, ContenderResult
from race.analysis.pairing import Run
from race.analysis.values import Values
from race.report import format as words
from race.report.articles.verdicts import UNMEASURED, UNTESTED, Judged, Measured
from race.report.measures import comparisons, pair, task_word
from race.saved.model import NOBODY
from race.stats import noise, ranking, signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN, Rounds

OWN = ("ranked", "user-load")
"""States of who has a rate of its own."""
LOST = ("failed", "invalid", "waiting")
UNKNOWN, IDLE = "whose core was full is not known", "no core was full"
NOTHING = "in no round that they have in common did both do anything"


class Side(NamedTuple):
    """A contender on tasks."""

    tasks: tuple[str, ...]
    label: str


Sides = tuple[Side, Side]


def lacking(runs: Sequence[Run], sides: Sides) -> Iterator[Judged]:
    """Why there is nothing to judge, each with its verdict: what was not raced, or went wrong."""
    for run in runs:
        known = {task_word(one.work): one for one in reversed(run.analysis.comparisons)}
        for side in sides:
            for task in side.tasks:
                yield from _lacking(run, known.get(task), task, side.label)


def _lacking(run: Run, comparison: Comparison | None, task: str, label: str) -> Iterator[Judged]:
    if comparison is None:
        yield UNMEASURED, f"{task} was not raced in {run.name}"
        return
    item = next((one for one in comparison.results if one.label == label), None)
    if item is None:
        yield UNMEASURED, f"{label} did not run on {task} in {run.name}"
    elif item.state == "unsupported":
        yield UNTESTED, f"{label} on {comparison.place}: {item.reason}"
    # Of a user load what went well is compared, also where that was not all.
    elif item.state in LOST or (item.state == "overloaded" and not comparison.work.load.user_load):
        yield UNMEASURED, f"{label} on {comparison.place} in {run.name}: {item.reason}"


def measured(runs: Sequence[Run], sides: Sides) -> Measured:
    """Two contenders on one task as the core compares them, whatever else by the rounds' means.

    Call it where nothing is `lacking`.
    """
    first, second = sides
    task = first.tasks[0]
    if comparisons(runs, task)[0].work.load.user_load:
        return _user_load(runs, task, first.label, second.label)
    if any(_bounds(runs, side) for side in sides):
        return _of_a_bound(runs, sides)
    full = _full(runs, first), _full(runs, second)
    ratio, winner = _compared(runs, sides)
    return Measured(
        ratio,
        winner,
        _margin(runs, sides),
        capped=" and ".join(who for who in full[0] if who not in (UNKNOWN, IDLE)),
        room=max(_room(run, first) for run in runs),
        note=_told(sides, full) if ratio else NOTHING,
    )


def failures(runs: Sequence[Run], side: Side) -> list[str]:
    """The reason of each run in which a contender failed at a task."""
    return [
        item.reason or ""
        for run in runs
        for comparison in run.analysis.comparisons
        for item in comparison.results
        if task_word(comparison.work) in side.tasks
        and (item.label, item.state) == (side.label, "failed")
    ]


def counted(runs: Sequence[Run], side: Side) -> str:
    """That a contender does its task, and how surely."""
    found = [item for _, item in _results(runs, side)]
    cells, ran = sum(item.cells for item in found), sum(item.ran for item in found)
    return f"it does that: {cells} of {ran} cells count"


def _compared(runs: Sequence[Run], sides: Sides) -> tuple[Estimate | None, int]:
    first, second = sides
    if first.tasks == second.tasks and len(first.tasks) == 1:
        whole = pair(runs, first.tasks[0], first.label, second.label)
        won = {None: 0, first.label: 1, second.label: -1}
        return whole.ratio, won[whole.winner]
    ratio = _ratio(runs, sides, _rates)
    return ratio, _winner(runs, sides, ratio)


def _of_a_bound(runs: Sequence[Run], sides: Sides) -> Measured:
    """Where a rate is a lower bound the ratio is one, too, if it is the first's; of the second's it
    says nothing. CPU time is told beside it.
    """
    first, second = (_bounds(runs, side) for side in sides)
    cpu = _ratio(runs, sides, lambda run: run.cpu)
    by_cpu = [f"by CPU time {cpu.reversed()}"] if cpu else []
    note = "; ".join([*first, *second, *by_cpu])
    if second:
        return Measured(None, 0, note=note)
    ratio = _ratio(runs, sides, _rates)
    winner = _winner(runs, sides, ratio)
    return Measured(ratio, winner, _margin(runs, sides), bound=True, note=note)


def _user_load(runs: Sequence[Run], task: str, first: str, second: str) -> Measured:
    """Users bound what is asked: how much of it went well is compared."""
    each = list(zip(runs, comparisons(runs, task), strict=True))
    ratio = between(
        [
            user_loads.ratio(run.analysis, one.work, user_loads.COUNT, first, second)
            for run, one in each
        ]
    )
    if ratio is None:
        return Measured(None, 0, note=NOTHING)
    late = [text for run, one in each for text in _late(run, one, (first, second))]
    rule = "a user load ranks nobody: here the interval alone decides, by 3 %"
    note = "; ".join(dict.fromkeys([*late, rule]))
    return Measured(ratio, ranking.winner(ratio, LEAST_MARGIN), note=note)


def _late(run: Run, comparison: Comparison, labels: tuple[str, str]) -> Iterator[str]:
    """Who did not keep up with a user load."""
    for group in user_loads.user_loads(run.analysis):
        for side in group.sides:
            if group.comparison is comparison and side.item.label in labels and side.late:
                lost = words.spread(side.lost, words.percent)
                yield (
                    f"{side.item.label} did not keep up in {side.late} of {side.cells} cells, and "
                    f"the {lost} that failed are not counted"
                )


def _ratio(runs: Sequence[Run], sides: Sides, measure: Callable[[Run], Values]) -> Estimate | None:
    """Of the mean logs of both sides in the rounds that have all of them; None without any."""
    found = []
    for run in runs:
        known = measure(run)
        first, second = (_logs(run, side, known) for side in sides)
        ratios = noise.log_ratios(first, second)
        found.append(signed_rank.hodges_lehmann(ratios) if ratios else None)
    return between(found)


def _logs(run: Run, side: Side, found: Values) -> Rounds:
    works = [comparison.work for comparison in _comparisons(run, side)]
    return mean_logs([found.get(work, {}).get(side.label, {}) for work in works])


def _rates(run: Run) -> Values:
    return values.values(run.analysis.counted, values.rate)


def _winner(runs: Sequence[Run], sides: Sides, ratio: Estimate | None) -> int:
    return ranking.winner(ratio, _margin(runs, sides)) if ratio else 0


def _margin(runs: Sequence[Run], sides: Sides) -> float:
    """The widest of any task and run. One contender against itself is one process: what processes
    differ by tells nothing apart there.
    """
    if sides[0].label == sides[1].label:
        return LEAST_MARGIN
    margins = [one.margin for run in runs for side in sides for one in _comparisons(run, side)]
    return max(filter(math.isfinite, margins), default=math.inf)


def _bounds(runs: Sequence[Run], side: Side) -> list[str]:
    """Why a contender has no rate of its own to be compared by."""
    found = dict.fromkeys(
        f"{item.label} on {comparison.place}: {item.reason}"
        for comparison, item in _results(runs, side)
        if item.state not in OWN
    )
    return list(found)


Full = dict[str, list[str]]
"""Who was full, in words, to the titles of tasks."""


def _full(runs: Sequence[Run], side: Side) -> Full:
    """Who was full in the place of the party under test, where a load is never raised to fill it:
    its rates are ranked whoever was.
    """
    found: Full = {}
    for comparison, item in _results(runs, side):
        if comparison.work.load.fixed and item.full != comparison.party:
            titles = found.setdefault(_who(item.full), [])
            titles += [comparison.title] if comparison.title not in titles else []
    return found


def _room(run: Run, side: Side) -> float:
    """The logarithm of how much more a contender would do, as the mean over its tasks, with its own
    core full where it was not, at the CPU time that a unit takes now.
    """
    logs = [
        0.0 if item.full == comparison.party else -math.log(item.busy) if item.busy else math.inf
        for comparison, item in _results([run], side)
    ]
    return statistics.fmean(logs)


def _who(full: str | None) -> str:
    return UNKNOWN if full is None else IDLE if full == NOBODY else f"the {full} was full"


def _told(sides: Sides, full: tuple[Full, Full]) -> str:
    return "; ".join(
        f"{side.label} on {', '.join(titles)}: {who}"
        for side, found in zip(sides, full, strict=True)
        for who, titles in found.items()
    )


def _results(runs: Sequence[Run], side: Side) -> Iterator[tuple[Comparison, ContenderResult]]:
    for run in runs:
        for comparison in _comparisons(run, side):
            yield from ((comparison, one) for one in comparison.results if one.label == side.label)


def _comparisons(run: Run, side: Side) -> list[Comparison]:
    return [comparisons([run], task)[0] for task in side.tasks]
