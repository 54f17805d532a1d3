"""Judges whether one contender is slower than another by a limit, over all tasks of a race.

An alarm is false with a probability of at most 5 % for the whole race, whatever the number of
tasks and measures: the lower end of each interval is too high in at most 5 % / intervals of all
cases (Bonferroni). The intervals contain what a process keeps for its life (`stats.processes`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean
from typing import Any

from race.analysis.model import Analysis, Comparison, plain
from race.analysis.values import Measure, cpu_us, one, p99_us, values
from race.plan.contenders import TWIN_MARK
from race.saved.model import Cell
from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.processes import Kept, RoundValues, log_ratios

FALSE = 0.05
"""The largest share of races of equals that may end with an alarm."""
P99 = "p99"
TWO = 2
"""The processes of a contender that has an A/A twin."""
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
    """One measure of one task: `slowdown` is the log of how many times as slow, `reason` why there
    is none. The gate is open where one that is `needed` is.
    """

    task: str
    measure: str
    slowdown: Estimate | None
    outcome: Outcome
    reason: str = ""
    needed: bool = True

    @property
    def name(self) -> str:
        """The task, with its measure where that is another than the first."""
        return f"{P99} of {self.task}" if self.measure == P99 else self.task

    @property
    def visible(self) -> float:
        """The smallest slowdown that would have been called, on the log scale."""
        if self.slowdown is None:
            return math.inf
        return self.slowdown.value - self.slowdown.low


@dataclass(frozen=True, slots=True)
class Limits:
    """The slowdowns that must not be, as fractions. Without one of its own, p99 has the limit of
    all, and may stay open.
    """

    slower: float
    p99: float | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """`new` against `old` on every task of a race; `confidence` is that of each interval."""

    race: str
    old: str
    new: str
    limits: Limits
    confidence: float
    checks: list[Checked]

    def of(self, outcome: Outcome) -> list[Checked]:
        """Return the checks with an outcome, the largest slowdown first."""
        found = [item for item in self.checks if item.outcome is outcome]
        return sorted(found, key=lambda item: -(item.slowdown.value if item.slowdown else math.inf))

    @property
    def outcome(self) -> Outcome:
        """The outcome of all checks together: the worst."""
        found = {one.outcome for one in self.checks if one.needed or one.outcome is Outcome.SLOWER}
        worst = (Outcome.FAILS, Outcome.SLOWER, Outcome.OPEN)
        return next((item for item in worst if item in found), Outcome.CLEAR)

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        data: dict[str, Any] = plain(self)
        return {**data, "outcome": str(self.outcome)}


def alpha(checks: int) -> float:
    """Return the two-sided level of each interval of so many checks."""
    return 2 * FALSE / checks


def rounds_needed(checks: int) -> int:
    """Return the fewest rounds that can give so many checks an interval."""
    return signed_rank.rounds_needed(alpha(checks))


def gate(analysis: Analysis, old: str, new: str, limits: Limits) -> Gate:
    """Judge `new` against `old`, two labels."""
    closed = analysis.closed()
    rated = [one for one in analysis.comparisons if one.rated]
    level = alpha(max(1, len(closed) + len(rated)))
    judge = _Judge(analysis, old, new, level)
    checks = [judge.closed(one, limits.slower) for one in closed]
    checks += [judge.p99(one, limits) for one in rated]
    return Gate(analysis.race.head.race, old, new, limits, 1 - level, checks)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Two contenders of a race, and the two-sided level of each interval."""

    analysis: Analysis
    old: str
    new: str
    level: float

    def closed(self, comparison: Comparison, limit: float) -> Checked:
        """Judge the rate on a task, or the CPU time where a rate is a lower bound."""
        items = [comparison.result(label) for label in (self.old, self.new)]
        lost = next((item for item in items if item and item.state in LOST), None)
        if lost:
            outcome = Outcome.FAILS if lost.label == self.new else Outcome.OPEN
            return Checked(comparison.place, "", None, outcome, f"{lost.label}: {lost.reason}")
        unit = self.analysis.discipline.unit
        if "at-least" in {item.state for item in items if item}:
            cost = cpu_us(self.analysis.discipline.parties[0])
            slowdown, rounds = self._slowdown(comparison, cost, comparison.cpu_kept)
            measure = f"CPU time per {one(unit)}"
        else:
            slowdown, rounds = self._slowdown(comparison, _inverse_rate, comparison.kept)
            measure = f"{unit}/s"
        return _checked(comparison.place, measure, slowdown, limit, rounds)

    def p99(self, comparison: Comparison, limits: Limits) -> Checked:
        """Judge the p99 at a rate that both were offered."""
        slowdown, rounds = self._slowdown(comparison, p99_us, comparison.p99_kept)
        limit, needed = limits.p99 or limits.slower, limits.p99 is not None
        found = _checked(comparison.place, P99, slowdown, limit, rounds)
        return replace(found, needed=needed)

    def _slowdown(
        self, comparison: Comparison, measure: Measure, kept: Kept
    ) -> tuple[Estimate | None, int]:
        """Return the log of how many times as slow, from both processes of each contender, and the
        number of rounds.
        """
        logs = values(self.analysis.counted, measure).get(comparison.work, {})
        twins = all(label + TWIN_MARK in logs for label in (self.old, self.new))
        ratios = log_ratios(_with_twin(logs, self.new), _with_twin(logs, self.old))
        found = (kept.of_mean(TWO) if twins else kept).estimate(ratios, self.level)
        return found, len(ratios)


def _inverse_rate(cell: Cell) -> float | None:
    return 1 / cell.throughput if cell.throughput else None


def _checked(
    task: str, measure: str, slowdown: Estimate | None, limit: float, rounds: int
) -> Checked:
    known = slowdown is not None and slowdown.bounded
    why = "" if known else f"too few rounds count: {rounds}"
    return Checked(task, measure, slowdown, judged(slowdown, math.log1p(limit)), why)


def _with_twin(logs: Mapping[str, RoundValues], label: str) -> RoundValues:
    """Return the mean log of a contender and its A/A twin in each round; a twin is as good."""
    both = [logs[one] for one in (label, label + TWIN_MARK) if one in logs]
    numbers = sorted({number for each in both for number in each})
    return {number: fmean(each[number] for each in both if number in each) for number in numbers}


def judged(slowdown: Estimate | None, limit: float) -> Outcome:
    """Return the outcome of a slowdown; both on the log scale."""
    if slowdown is None or not slowdown.bounded:
        return Outcome.OPEN
    if slowdown.low > 0 and slowdown.value >= limit:
        return Outcome.SLOWER
    return Outcome.CLEAR if slowdown.high < limit else Outcome.OPEN
