"""Judges whether one contender is slower than another by a limit, over all tasks of a race.

An alarm is false with a probability of at most 5 % for the whole race, whatever the number of
tasks: the lower end of each task's interval is too high in at most 5 % / tasks of all cases
(Bonferroni). The intervals contain what a process keeps for its life (`stats.processes`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from race.analysis.model import Analysis, Comparison, plain
from race.analysis.values import cpu_us, one, rate, values
from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.processes import log_ratios

FALSE = 0.05
"""The largest share of races of equals that may end with an alarm."""
LOST = ("failed", "overloaded")


class Outcome(StrEnum):
    """The verdict of a gate on one task."""

    SLOWER = "slower"
    """The interval excludes equality, and the estimate is beyond the limit."""
    FAILS = "fails"
    """It does not do the task any more."""
    CLEAR = "not slower"
    """The interval excludes a slowdown by the limit."""
    OPEN = "cannot tell"
    """Everything else."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One task: `slowdown` is the log of how many times as slow, `reason` why there is none."""

    task: str
    measure: str
    slowdown: Estimate | None
    outcome: Outcome
    reason: str = ""

    @property
    def visible(self) -> float:
        """The smallest slowdown that would have been called, on the log scale."""
        if self.slowdown is None:
            return math.inf
        return self.slowdown.value - self.slowdown.low


@dataclass(frozen=True, slots=True)
class Gate:
    """`new` against `old` on every task of a race; `limit` is a fraction, `confidence` that of
    each interval.
    """

    race: str
    old: str
    new: str
    limit: float
    confidence: float
    checks: list[Checked]

    def of(self, outcome: Outcome) -> list[Checked]:
        """Return the tasks with an outcome, the largest slowdown first."""
        found = [item for item in self.checks if item.outcome is outcome]
        return sorted(found, key=lambda item: -(item.slowdown.value if item.slowdown else math.inf))

    @property
    def outcome(self) -> Outcome:
        """The outcome of all tasks together: the worst."""
        found = {item.outcome for item in self.checks}
        worst = (Outcome.FAILS, Outcome.SLOWER, Outcome.OPEN)
        return next((item for item in worst if item in found), Outcome.CLEAR)

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        data: dict[str, Any] = plain(self)
        return {**data, "outcome": str(self.outcome)}


def alpha(tasks: int) -> float:
    """Return the two-sided level of each task's interval."""
    return 2 * FALSE / tasks


def rounds_needed(tasks: int) -> int:
    """Return the fewest rounds that can give so many tasks an interval."""
    return signed_rank.rounds_needed(alpha(tasks))


def gate(analysis: Analysis, old: str, new: str, limit: float) -> Gate:
    """Judge `new` against `old`, two labels; `limit` is a fraction, 0.05 for 5 %."""
    comparisons = analysis.closed()
    level = alpha(max(1, len(comparisons)))
    found = list(_checks(analysis, comparisons, (old, new), limit, level))
    return Gate(analysis.race.head.race, old, new, limit, 1 - level, found)


def _checks(
    analysis: Analysis,
    comparisons: list[Comparison],
    labels: tuple[str, str],
    limit: float,
    level: float,
) -> Iterator[Checked]:
    party, unit = analysis.discipline.parties[0], analysis.discipline.unit
    rates = values(analysis.counted, rate)
    costs = values(analysis.counted, cpu_us(party))
    for comparison in comparisons:
        items = [comparison.result(label) for label in labels]
        states = {item.state if item else "missing" for item in items}
        lost = next((item for item in items if item and item.state in LOST), None)
        if lost:
            outcome = Outcome.FAILS if lost.label == labels[1] else Outcome.OPEN
            yield Checked(comparison.place, "", None, outcome, f"{lost.label}: {lost.reason}")
            continue
        by_cpu = "at-least" in states
        logs = (costs if by_cpu else rates).get(comparison.work, {})
        old, new = (logs.get(label, {}) for label in labels)
        ratios = log_ratios(new, old) if by_cpu else log_ratios(old, new)
        kept = comparison.cpu_kept if by_cpu else comparison.kept
        slowdown = kept.estimate(ratios, level)
        measure = f"CPU time per {one(unit)}" if by_cpu else f"{unit}/s"
        why = "" if slowdown and slowdown.bounded else f"too few rounds count: {len(ratios)}"
        outcome = judged(slowdown, math.log1p(limit))
        yield Checked(comparison.place, measure, slowdown, outcome, why)


def judged(slowdown: Estimate | None, limit: float) -> Outcome:
    """Return the outcome of a slowdown; both on the log scale."""
    if slowdown is None or not slowdown.bounded:
        return Outcome.OPEN
    if slowdown.low > 0 and slowdown.value >= limit:
        return Outcome.SLOWER
    return Outcome.CLEAR if slowdown.high < limit else Outcome.OPEN
