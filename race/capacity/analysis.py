"""Estimates the capacity of each contender from the cells of a search."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from race.capacity.record import CapacityRun, Promise, RateCell
from race.capacity.threshold import FEWEST_LIVES, Tried, threshold
from race.saved.model import NOBODY, SATURATED
from race.stats.estimate import Estimate

FOUND, OPEN = "found", "open"
UNSEEN = 2.0
"""A backlog that grows so slowly that it makes nobody late within a cell is not seen. That happens
up to the rate at which a cell ends with as much waiting time as is promised, and a little above
where service times vary. See docs/method.md."""
NEAR = 0.1
"""Cells whose rate (log scale) is so near to the capacity say what gave way there."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """The capacity of a contender on a task.

    `outcome` is FOUND, with the `rate` (log of requests/s); OPEN, with what was seen of it until
    the time was up; or how the search ended, and `bound` is the rate that this is about. `lives`
    are the starts of the process that count, `deviation` is that of their capacities (log scale).
    `broken` says which part of the promise gave way, `saturated` who was then.
    """

    label: str
    task: str
    outcome: str
    rate: Estimate | None
    bound: float | None
    lives: int
    deviation: float
    cells: int
    lost: int
    broken: str
    saturated: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with rates instead of logs."""
        data = {name: getattr(self, name) for name in self.__slots__ if name != "rate"}
        if self.rate is None:
            return {**data, "rate": None}
        found = self.rate.as_json()
        return {**data, "rate": found["ratio"], "low": found["low"], "high": found["high"]}


def unseen(promise: Promise, seconds: float) -> float:
    """Return how far above the capacity (log scale) a cell of so many seconds may not show it."""
    return math.log1p(UNSEEN * promise.p99_us / 1e6 / seconds)


def capacities(run: CapacityRun) -> list[Capacity]:
    """Return the capacity of each contender on each task, in their order."""
    return [_capacity(run, one.label, task) for one in run.head.contenders for task in run.tasks]


def _capacity(run: CapacityRun, label: str, task: str) -> Capacity:
    cells = [one for one in run.cells if (one.label, one.task) == (label, task)]
    good = [one for one in cells if one.excess is not None]
    ending = next((one for one in run.endings if (one.label, one.task) == (label, task)), None)
    tried = [Tried(one.life, math.log(one.rate), one.excess or 0.0) for one in good if one.life]
    found = None if ending else threshold(tried, unseen(run.promise, run.cell_s))
    rate, bound = (found.rate, None) if found else (None, ending.rate if ending else None)
    outcome = ending.outcome if ending else FOUND if rate and rate.bounded else OPEN
    near = rate.value if rate else math.log(bound) if bound else None
    broken = [
        one
        for one in good
        if (one.excess or 0) >= 1 and near is not None and abs(math.log(one.rate) - near) < NEAR
    ]
    return Capacity(
        label=label,
        task=task,
        outcome=outcome,
        rate=rate,
        bound=bound,
        lives=rate.n if rate else len({one.life for one in good if one.life}),
        deviation=found.deviation if found else 0.0,
        cells=len(good),
        lost=len(cells) - len(good),
        broken=_which(broken, run.promise),
        saturated=_saturated(broken, run),
        reason=_reason(outcome, rate, broken),
    )


def _which(broken: Sequence[RateCell], promise: Promise) -> str:
    """Return which part of the promise gave way in most cells that broke it."""
    if not broken:
        return ""
    errors = sum(one.failed > promise.errors * one.due or not one.due for one in broken)
    return "errors" if 2 * errors > len(broken) else "late"


def _saturated(broken: Sequence[RateCell], run: CapacityRun) -> str:
    """Return who was saturated in the median cell that broke the promise."""
    known = [one.busy for one in broken if one.busy]
    if not known:
        return ""
    parties = run.head.discipline.parties
    full = [
        party
        for party in parties
        if statistics.median(one.get(party, 0.0) for one in known) >= SATURATED
    ]
    return " and ".join(full) or NOBODY


def _reason(outcome: str, rate: Estimate | None, broken: Sequence[RateCell]) -> str:
    if outcome == OPEN:
        lives = rate.n if rate else 0
        return f"{lives} of {FEWEST_LIVES} starts fitted the time: more of it with --within"
    return next((one.reason for one in broken if one.reason), "")
