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
from race.analysis.values import Values, cpu_us, in_order, median, one, values
from race.saved.model import Cell, Discipline, Work
from race.saved.reader import SavedRace
from race.stats import rank_sum, signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import LEAST_MARGIN, RoundValues

LOST = ("failed", "overloaded")
Outcome = Literal["slower", "faster", "same", "fails now", "recovered", "gone", "new", "undecided"]


@dataclass(frozen=True, slots=True)
class Change:
    """One contender at one work, in both races.

    `estimate` is the second race over the first: of units/s, or at a fixed rate of units per CPU
    second, so that more is always better. A change must exceed `limit` (log scale).
    """

    work: Work
    label: str
    measure: str
    old: float | None
    new: float | None
    estimate: Estimate | None
    limit: float
    outcome: Outcome

    @property
    def regression(self) -> bool:
        return self.outcome in ("slower", "fails now")


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
    def regressions(self) -> list[Change]:
        return [change for change in self.changes if change.regression]

    @property
    def decided(self) -> bool:
        """True if the verdict of at least one contender is decided."""
        blind = ("undecided", "new", "gone")
        return any(change.outcome not in blind for change in self.changes)

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        common = None if self.common is None else math.exp(self.common)
        data: dict[str, Any] = plain(replace(self, common=common))
        return {**data, "regressions": len(self.regressions), "decided": self.decided}


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two races at one work, with the logs by contender and round."""

    comparison: Comparison | None
    logs: Mapping[str, RoundValues]

    def result(self, label: str) -> ContenderResult | None:
        return self.comparison.result(label) if self.comparison else None

    def labels(self) -> list[str]:
        return [item.label for item in self.comparison.results] if self.comparison else []


def compare(
    old: SavedRace, new: SavedRace, threshold: float | None = None, relative: bool = False
) -> RunComparison:
    """Compare two races contender by contender.

    A change counts when its 95 % interval lies beyond the larger of both races' margins on the work
    (`noise.margin`), and of `threshold` (a fraction: 0.05 is 5 %). `relative` divides each race by
    the mean of its contenders on the task, for races on machines of different speed.
    """
    discipline = new.head.discipline
    sides = [_sides(analyse(race), relative) for race in (old, new)]
    nothing = _Side(None, {})
    changes: list[Change] = []
    for work in in_order([*sides[0], *sides[1]], discipline):
        both = sides[0].get(work, nothing), sides[1].get(work, nothing)
        changes += _changes(work, both, threshold or 0.0, discipline)
    return RunComparison(
        old=old.head.race,
        new=new.head.race,
        discipline=discipline,
        threshold=threshold,
        relative=relative,
        common=median(change.estimate.value for change in changes if change.estimate),
        changes=changes,
        warnings=[
            *differences(old.head, new.head),
            *connections(old, new),
            *_doubts(changes, relative),
        ],
    )


def _sides(analysis: Analysis, relative: bool) -> dict[Work, _Side]:
    measured = _measured(analysis, relative)
    return {one.work: _Side(one, measured.get(one.work, {})) for one in analysis.comparisons}


def _measured(analysis: Analysis, relative: bool) -> Values:
    """Return rates in the closed loop, otherwise units per CPU time of the party under test."""
    cost = cpu_us(analysis.discipline.parties[0])

    def measure(cell: Cell) -> float | None:
        spent = cost(cell)
        return cell.throughput if cell.load.closed else spent and 1 / spent

    found = values(analysis.counted, measure)
    return {work: _without_mean(logs) for work, logs in found.items()} if relative else found


def _without_mean(logs: Mapping[str, dict[int, float]]) -> dict[str, dict[int, float]]:
    """Return each round relative to the mean of all contenders, where all of them have it."""
    shared = set.intersection(*(set(rounds) for rounds in logs.values())) if logs else set()
    means = {number: math.fsum(r[number] for r in logs.values()) / len(logs) for number in shared}
    return {
        label: {number: rounds[number] - means[number] for number in sorted(shared)}
        for label, rounds in logs.items()
    }


def _changes(
    work: Work, both: tuple[_Side, _Side], threshold: float, discipline: Discipline
) -> Iterator[Change]:
    """Yield the changes of both races' contenders at one work."""
    old, new = both
    margins = [side.comparison.margin for side in both if side.comparison]
    limit = max(*margins, -math.log1p(-threshold), LEAST_MARGIN)
    labels = list(dict.fromkeys([*old.labels(), *new.labels()]))
    closed = work.load.closed
    measure = f"{discipline.unit}/s" if closed else f"CPU µs/{one(discipline.unit)}"
    for label in labels:
        before, after = old.result(label), new.result(label)
        estimate = _shift(old.logs.get(label, {}), new.logs.get(label, {}))
        yield Change(
            work=work,
            label=label,
            measure=measure,
            old=_figure(before, closed, discipline.parties[0]),
            new=_figure(after, closed, discipline.parties[0]),
            estimate=estimate,
            limit=limit,
            outcome=_outcome(before, after, estimate, limit),
        )


def _shift(old: RoundValues, new: RoundValues) -> Estimate | None:
    """Estimate the change from one race to the other; None without rounds in both."""
    return rank_sum.shift(list(old.values()), list(new.values())) if old and new else None


def _figure(result: ContenderResult | None, closed: bool, party: str) -> float | None:
    if result is None:
        return None
    if closed:
        return result.throughput.median if result.throughput else None
    return result.cpu_us.get(party)


def _outcome(
    old: ContenderResult | None,
    new: ContenderResult | None,
    estimate: Estimate | None,
    limit: float,
) -> Outcome:
    if old is None or new is None:
        return "new" if old is None else "gone"
    if new.state in LOST and old.throughput:
        return "fails now"
    if old.state in LOST and new.throughput:
        return "recovered"
    bound = "at-least" in (old.state, new.state)
    if estimate is None or bound or not estimate.bounded or math.isinf(limit):
        return "undecided"
    if estimate.high < -limit:
        return "slower"
    return "faster" if estimate.low > limit else "same"


def _doubts(changes: list[Change], relative: bool) -> Iterator[str]:
    """Yield what weakens the comparison itself."""
    seen = [change.estimate for change in changes if change.estimate]
    if not seen:
        yield "The races have no cell in common: nothing is compared."
    elif all(change.outcome == "undecided" for change in changes if change.estimate):
        yield (
            "No change could be seen: that takes at least 4 rounds in each race, 5 for the noise "
            f"floor, {signed_rank.rounds_needed()} for a ranking; rates must be no lower bounds."
        )
    moved = [estimate.value for estimate in seen]
    together = sum(math.copysign(1, value) for value in moved)
    if not relative and len(moved) > 2 and abs(together) == len(moved):
        shift = median(moved) or 0.0
        if abs(shift) > LEAST_MARGIN:
            yield (
                f"Every contender moved the same way, by {100 * math.expm1(shift):+.0f} % on the "
                "middle: a change of the machine looks just like this."
            )
