"""The answer of saved runs to a question of an article: a ratio, who won, who was saturated."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from race.analysis import user_loads
from race.analysis.model import Comparison
from race.analysis.pairing import Run
from race.report import format as words
from race.report.claims.measures import MEAN, measure
from race.report.claims.pairs import Sides, comparisons, task_word
from race.report.claims.timelines import user_load_ratio
from race.report.claims.verdicts import MeasuredRatio
from race.stats.noise import LEAST_MARGIN
from race.stats.verdict import verdict, winner

LOST = ("failed", "invalid", "waiting")
NOTHING = "in no round that they have in common did both do anything"
RATES = ("rate", "rows")
"""Measures that a party other than the one under test bounds."""
USER_LOAD = "a user load ranks nobody: here the interval alone decides, by 3 %"


def missing(sides: Sides) -> Iterator[str]:
    """Yield why there is nothing to judge: a task was not raced, failed, or is not supported."""
    for run in sides.runs:
        known = {task_word(one.work): one for one in reversed(run.analysis.comparisons)}
        for side in (sides.first, sides.second):
            for task in side.tasks:
                if reason := _missing(run, known.get(task), task, side.label):
                    yield reason


def _missing(run: Run, comparison: Comparison | None, task: str, label: str) -> str:
    if comparison is None:
        return f"{task} was not raced in {run.name}"
    item = comparison.result(label)
    if item is None:
        return f"{label} did not run on {task} in {run.name}"
    if item.state == "unsupported":
        return f"{label} on {comparison.place}: {item.reason}"
    # Under a user load, what went well is compared even where some requests did not.
    late = item.state == "overloaded" and not comparison.work.load.user_load
    if late or item.state in LOST:
        return f"{label} on {comparison.place} in {run.name}: {item.reason}"
    return ""


def failures(sides: Sides) -> list[str]:
    """Return the reason of each run in which the first side failed at a task."""
    return [
        item.reason or ""
        for run in sides.runs
        for comparison in run.analysis.comparisons
        if task_word(comparison.work) in sides.first.tasks
        if (item := comparison.result(sides.first.label)) and item.state == "failed"
    ]


def counted(sides: Sides) -> str:
    """Return the phrase that the first side does its task, with the number of its cells."""
    found = [item for _, item in sides.results(sides.first)]
    cells, ran = sum(item.cells for item in found), sum(item.ran for item in found)
    return f"it does that: {cells} of {ran} cells count"


def measured(sides: Sides) -> MeasuredRatio:
    """Compare two sides of which nothing is `missing`."""
    if of_user_load(sides):
        return _user_load(sides)
    if any(map(sides.bounds, (sides.first, sides.second))):
        return _of_a_bound(sides)
    ratio, winner = sides.compared()
    return MeasuredRatio(ratio, winner, sides.margin(), note="" if ratio else NOTHING)


def figure(sides: Sides, asked: str) -> tuple[str, str]:
    """Return a figure of the first side alone; with a rate, what else limited it."""
    name, *more = shlex.split(asked)
    text = measure(name, sides.runs, [MEAN.join(sides.first.tasks), sides.first.label, *more])
    limits = _limits(sides, sides.bounds(sides.first), {}) if name in RATES else []
    return text, "; ".join(limits)


def of_user_load(sides: Sides) -> bool:
    """Return whether the question is about users instead of connections."""
    (first, *_) = comparisons(sides.runs, sides.first.tasks[0])
    return first.work.load.user_load is not None


def _of_a_bound(sides: Sides) -> MeasuredRatio:
    """Compare sides with a lower bound: the ratio is one as well where it is the first side's, and
    unknown where it is the second's. The ratio of CPU time stands in the note.
    """
    first, second = sides.bounds(sides.first), sides.bounds(sides.second)
    note = "; ".join([*_limits(sides, first, second), *_by_cpu(sides)])
    if second:
        return MeasuredRatio(None, 0, note=note)
    ratio = sides.ratio()
    return MeasuredRatio(ratio, sides.winner(ratio), sides.margin(), bound=True, note=note)


def _by_cpu(sides: Sides) -> Iterator[str]:
    """Yield how many times as much the first does with the same CPU time, and the verdict."""
    if cpu := sides.cpu_ratio():
        decided = words.verdict(cpu, verdict(cpu, sides.cpu_margin()), of_cpu=True)
        yield f"by CPU time {cpu.reversed()}, {decided}"


def _user_load(sides: Sides) -> MeasuredRatio:
    """Compare how many requests users sent, which an article counts as Locust does: those that
    failed are among them. The ratio without those stands in the note.
    """
    task, labels = sides.first.tasks[0], (sides.first.label, sides.second.label)
    ratio, answered = (
        user_load_ratio(sides.runs, task, *labels, what)
        for what in (user_loads.REQUESTS, user_loads.COUNT)
    )
    if ratio is None:
        return MeasuredRatio(None, 0, note=NOTHING)
    late = [text for run in sides.runs for text in _late(run, task, labels)]
    alone = f"of the requests that went well alone {answered or words.NONE}"
    note = "; ".join(dict.fromkeys([alone, *late, USER_LOAD]))
    return MeasuredRatio(ratio, winner(ratio, LEAST_MARGIN), note=note)


def _late(run: Run, task: str, labels: Sequence[str]) -> Iterator[str]:
    """Yield who did not keep up with a user load."""
    for group in user_loads.user_loads(run.analysis):
        for side in group.sides:
            if task_word(group.comparison.work) == task and side.item.label in labels and side.late:
                lost = words.spread(side.lost, words.percent)
                which = "the first" if side.item.label == labels[0] else "the second"
                yield (
                    f"{which} did not keep up in {side.late} of {side.cells} cells: {lost} failed"
                )


def _limits(sides: Sides, *limits: Mapping[str, Sequence[str]]) -> list[str]:
    """Return phrases such as "no core was saturated (the first on good, index)"; the tasks are left
    out where there is one.
    """
    several = len(sides.first.tasks) > 1
    first, second = (
        {who: f" on {', '.join(tasks)}" if several else "" for who, tasks in one.items()}
        for one in limits
    )
    if first == second:
        return [f"{who} (both{where})" for who, where in first.items()]
    named = (("the first", first), ("the second", second))
    return [f"{who} ({side}{where})" for side, found in named for who, where in found.items()]
