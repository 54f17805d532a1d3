"""Two saved races side by side, and whether the second is slower: a gate for CI.

Rounds of two races are not pairs, so each contender's rounds are compared as two samples (exact
rank sum). A change of the machine looks like a change of the code; the shift that all contenders
share is therefore shown, and `relative` takes it out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from race.analysis.analyse import analyse
from race.analysis.differences import connections, differences
from race.analysis.model import UNWRITTEN, Analysis, Comparison, ContenderResult, plain
from race.analysis.values import Values, cpu_us, in_order, median, one, rate, values
from race.errors import RaceError
from race.saved.model import Discipline, Work
from race.saved.reader import SavedRace
from race.stats import rank_sum, signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN
from race.stats.processes import RoundValues
from race.stats.verdict import Verdict, verdict

LOST = ("failed", "overloaded")
Outcome = Literal["compared", "fails now", "recovered", "gone", "new"]
FEWEST = signed_rank.rounds_needed(2 * signed_rank.ALPHA)
"""The rounds that each race needs for its noise floor; an interval needs fewer."""


@dataclass(frozen=True, slots=True)
class Change:
    """One contender at one work, in both races.

    `estimate` is the second race over the first: of units/s, or of units per CPU second where a
    rate is fixed or a lower bound, so that more is always better; `old` and `new` are medians over
    the `rounds` that are in it. `verdict` is by `margin`, the larger of both races' for that
    measure; `limit` is the gate's, infinite without one (both on the log scale).
    """

    work: Work
    label: str
    measure: str
    old: float | None
    new: float | None
    rounds: tuple[int, int]
    estimate: Estimate | None
    margin: float
    limit: float
    outcome: Outcome

    @property
    def verdict(self) -> Verdict:
        return verdict(self.estimate, self.margin)

    @property
    def regression(self) -> bool:
        """True if it fails now, or is slower for sure, and by more than the gate's limit."""
        least = max(self.margin, self.limit if math.isfinite(self.limit) else 0.0)
        slower = self.estimate is not None and self.estimate.high < -least
        return self.outcome == "fails now" or (self.outcome == "compared" and slower)

    @property
    def visible(self) -> float:
        """The smallest slowdown that this comparison can rule out or call, on the log scale."""
        reach = self.estimate.value - self.estimate.low if self.estimate else math.inf
        return max(self.margin, reach)

    @property
    def cleared(self) -> bool:
        """True if the limit could be seen, and the interval excludes a slowdown by so much."""
        excluded = self.estimate is not None and self.estimate.low > -self.limit
        return self.outcome == "recovered" or (self.margin <= self.limit and excluded)


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The changes between two races; `common` is the shift that all share (log scale)."""

    old: str
    new: str
    discipline: Discipline = field(metadata=UNWRITTEN)
    threshold: float | None
    relative: bool
    common: float | None
    changes: list[Change]
    warnings: list[str]

    @property
    def in_both(self) -> list[Change]:
        """The changes of what both races have."""
        return [change for change in self.changes if change.outcome not in ("gone", "new")]

    @property
    def regressions(self) -> list[Change]:
        return [change for change in self.changes if change.regression]

    @property
    def unseen(self) -> list[Change]:
        """The changes that are no regression, and not shown to be none, the least visible first."""
        open_ = [one for one in self.in_both if not (one.regression or one.cleared)]
        return sorted(open_, key=lambda one: -one.visible)

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        common = None if self.common is None else math.exp(self.common)
        data: dict[str, Any] = plain(replace(self, common=common))
        for written, change in zip(data["changes"], self.changes, strict=True):
            written["verdict"] = str(change.verdict)
        return {**data, "regressions": len(self.regressions), "unseen": len(self.unseen)}


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two races at one work, with the logs by contender and round: of rates and of units
    per CPU time.
    """

    comparison: Comparison | None
    rates: Mapping[str, RoundValues]
    thrift: Mapping[str, RoundValues]

    def result(self, label: str) -> ContenderResult | None:
        return self.comparison.result(label) if self.comparison else None

    def labels(self) -> list[str]:
        return [item.label for item in self.comparison.results] if self.comparison else []


def compare(
    old: SavedRace, new: SavedRace, threshold: float | None = None, relative: bool = False
) -> RunComparison:
    """Compare two races contender by contender; RaceError where they used other connections.

    `threshold` is the gate's limit (a fraction: 0.05 is 5 %). `relative` divides each race by the
    mean of its contenders on the task, for races on machines of different speed.
    """
    if unlike := next(iter(connections(old, new).values()), None):
        raise RaceError(f"{old.head.race} and {new.head.race} cannot be compared: {unlike}")
    discipline = new.head.discipline
    sides = [_sides(analyse(race), relative) for race in (old, new)]
    nothing = _Side(None, {}, {})
    limit = math.inf if threshold is None else -math.log1p(-threshold)
    changes: list[Change] = []
    for work in in_order([*sides[0], *sides[1]], discipline):
        both = sides[0].get(work, nothing), sides[1].get(work, nothing)
        changes += _changes(work, both, limit, discipline)
    return RunComparison(
        old=old.head.race,
        new=new.head.race,
        discipline=discipline,
        threshold=threshold,
        relative=relative,
        common=median(change.estimate.value for change in changes if change.estimate),
        changes=changes,
        warnings=[*differences(old.head, new.head), *_doubts(changes, relative)],
    )


def _sides(analysis: Analysis, relative: bool) -> dict[Work, _Side]:
    spent = values(analysis.counted, cpu_us(analysis.discipline.parties[0]))
    thrift = {
        work: {label: {at: -log for at, log in logs.items()} for label, logs in by_label.items()}
        for work, by_label in spent.items()
    }
    both: list[Values] = [values(analysis.counted, rate), thrift]
    if relative:
        both = [{work: _without_mean(logs) for work, logs in one.items()} for one in both]
    rates, thrift = both
    return {
        one.work: _Side(one, rates.get(one.work, {}), thrift.get(one.work, {}))
        for one in analysis.comparisons
    }


def _without_mean(logs: Mapping[str, dict[int, float]]) -> dict[str, dict[int, float]]:
    """Return each round relative to the mean of all contenders, where all of them have it."""
    shared = set.intersection(*(set(rounds) for rounds in logs.values())) if logs else set()
    means = {number: math.fsum(r[number] for r in logs.values()) / len(logs) for number in shared}
    return {
        label: {number: rounds[number] - means[number] for number in sorted(shared)}
        for label, rounds in logs.items()
    }


def _changes(
    work: Work, both: tuple[_Side, _Side], limit: float, discipline: Discipline
) -> Iterator[Change]:
    """Yield the changes of both races' contenders at one work."""
    old, new = both
    measured = [side.comparison for side in both if side.comparison]
    for label in dict.fromkeys([*old.labels(), *new.labels()]):
        before, after = old.result(label), new.result(label)
        bound = "at-least" in {item.state for item in (before, after) if item}
        by_rate = work.load.closed and not bound
        logs = [(side.rates if by_rate else side.thrift).get(label, {}) for side in both]
        outcome = _outcome(before, after)
        if outcome == "compared" and not any(logs):
            continue  # neither has a figure
        yield Change(
            work=work,
            label=label,
            measure=f"{discipline.unit}/s" if by_rate else f"CPU µs/{one(discipline.unit)}",
            old=_figure(logs[0], by_rate),
            new=_figure(logs[1], by_rate),
            rounds=(len(logs[0]), len(logs[1])),
            estimate=_shift(*logs),
            margin=max(one.margin if by_rate else one.cpu_margin for one in measured),
            limit=limit,
            outcome=outcome,
        )


def _figure(logs: RoundValues, by_rate: bool) -> float | None:
    """Return the median of units/s, or of CPU time for each unit."""
    middle = median(logs.values())
    return None if middle is None else math.exp(middle if by_rate else -middle)


def _shift(old: RoundValues, new: RoundValues) -> Estimate | None:
    """Estimate the change from one race to the other; None without rounds in both."""
    return rank_sum.shift(list(old.values()), list(new.values())) if old and new else None


def _outcome(old: ContenderResult | None, new: ContenderResult | None) -> Outcome:
    if old is None or new is None:
        return "new" if old is None else "gone"
    if new.state in LOST and old.throughput:
        return "fails now"
    return "recovered" if old.state in LOST and new.throughput else "compared"


def _doubts(changes: list[Change], relative: bool) -> Iterator[str]:
    """Yield what weakens the comparison itself."""
    seen = [change.estimate for change in changes if change.estimate]
    if not seen:
        yield "The races have no cell in common: nothing is compared."
    few = {change.rounds for change in changes if change.estimate and min(change.rounds) < FEWEST}
    if few:
        texts = ", ".join(f"{old} and {new}" for old, new in sorted(few))
        yield f"Too few rounds: {texts}. Each race needs {FEWEST} or more, for its noise floor."
    moved = [estimate.value for estimate in seen]
    together = sum(math.copysign(1, value) for value in moved)
    if not relative and len(moved) > 2 and abs(together) == len(moved):
        shift = median(moved) or 0.0
        if abs(shift) > LEAST_MARGIN:
            yield (
                f"Every contender moved the same way, by {100 * math.expm1(shift):+.0f} % on the "
                "middle: a change of the machine looks just like this."
            )
