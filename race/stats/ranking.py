"""Who beat whom, and the ranks that follow from it.

A beats B when the 95 % interval of A's per-round log-ratio to B lies above the margin, the largest
of 3 %, the race's own noise floor (the A/A bound), and what contenders that run the same code
differ by (controls). Without an interval, or without a bound, nobody beats anybody. Otherwise the
two cannot be told apart and share a rank.

"Cannot be told apart" is not transitive: A may tie with B, and B with C, while A beats C. The rule
chosen here: contenders are sorted by their mean log-ratio to all others, and a line is drawn under
one only when everyone above the line beat everyone below it. Those between two lines share a rank,
1 plus the number above. So two different ranks always mean a winner declared in that very pair,
two that tie always share a rank, and a chain of ties costs resolution, never correctness. Winners
inside a shared rank are still listed as such.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

from race.stats import signed_rank
from race.stats.estimate import Estimate

Rounds = Mapping[int, float]
"""Round number to the mean log of the rate in that round."""

Groups = Sequence[AbstractSet[str]]
"""Labels of contenders that run the same code, a set for each code."""

LEAST_MARGIN = math.log(1.03)


@dataclass(frozen=True, slots=True)
class Pair:
    """`first` against `second`; `winner` is one of the two labels, or None for a tie."""

    first: str
    second: str
    estimate: Estimate
    winner: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """One contender's rank (1 is best); `score` is its mean log-ratio to all others."""

    label: str
    rank: int
    score: float
    beats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    places: list[Place]
    pairs: list[Pair]

    def pair(self, first: str, second: str) -> Pair | None:
        """The comparison of two contenders, turned so that `first` comes first."""
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.first, pair.second) == (second, first):
                return Pair(first, second, pair.estimate.reversed(), pair.winner)
        return None


def log_ratios(first: Rounds, second: Rounds) -> list[float]:
    """Log of first over second in every round that both have, in round order."""
    return [first[number] - second[number] for number in sorted(first.keys() & second.keys())]


def noise_floor(twin: Rounds, original: Rounds) -> Estimate | None:
    """The A/A twin against its original, with a 90 % interval; None without a common round.

    The interval's farther end, `Estimate.bound`, is the A/A bound: the smallest difference that the
    two are shown not to exceed, at 5 %, by two one-sided tests (D. J. Schuirmann, J.
    Pharmacokinet. Biopharm. 15 (1987) 657). Whatever is smaller, this race cannot see.
    """
    ratios = log_ratios(twin, original)
    return signed_rank.hodges_lehmann(ratios, alpha=2 * signed_rank.ALPHA) if ratios else None


def widest(contenders: Mapping[str, Rounds], groups: Groups) -> Estimate | None:
    """The pair that differs most of those within one group of contenders that run the same code.

    None where no pair has a common round.
    """
    estimates = [
        signed_rank.hodges_lehmann(ratios)
        for group in groups
        for first, second in combinations(sorted(group & contenders.keys()), 2)
        if (ratios := log_ratios(contenders[first], contenders[second]))
    ]
    turned = (one if one.value >= 0 else one.reversed() for one in estimates)
    return max(turned, key=lambda one: one.value, default=None)


def margin(noise: Estimate | None, controls: Estimate | None = None) -> float:
    """How far from equal a ratio must be, on the log scale: the largest of 3 %, the A/A bound, and
    the ratio by which controls differ most (`widest`).

    Infinite when the A/A twin ran for too few rounds to have a bound; without a twin and controls
    it is 3 %. Of controls the estimate enters and not its interval's end: the largest of many ends
    would grow with the number of controls even where all are alike, and the interval of the pair
    that is judged allows for chance already.
    """
    bound = noise.bound if noise else 0.0
    return max(LEAST_MARGIN, bound, abs(controls.value) if controls else 0.0)


def winner(estimate: Estimate, margin: float) -> int:
    """1 when the first of a pair beats the second, -1 for the reverse, 0 for a tie."""
    return int(estimate.low > margin) - int(estimate.high < -margin)


def rank(contenders: Mapping[str, Rounds], margin: float, same: Groups = ()) -> Ranking:
    """Compare every pair of contenders and rank them all; a pair without common rounds is a tie.

    Nobody wins within one group of `same`, contenders that run the same code.
    """
    labels = sorted(contenders)
    pairs = []
    for first, second in combinations(labels, 2):
        ratios = log_ratios(contenders[first], contenders[second])
        if ratios:
            estimate = signed_rank.hodges_lehmann(ratios)
            alike = any({first, second} <= group for group in same)
            beyond = 0 if alike else winner(estimate, margin)
            pairs.append(Pair(first, second, estimate, {1: first, -1: second}.get(beyond)))
    return Ranking(_places(labels, pairs), pairs)


def _places(labels: Sequence[str], pairs: Sequence[Pair]) -> list[Place]:
    beats: dict[str, set[str]] = {label: set() for label in labels}
    sums = dict.fromkeys(labels, 0.0)
    for pair in pairs:
        sums[pair.first] += pair.estimate.value
        sums[pair.second] -= pair.estimate.value
        if pair.winner is not None:
            loser = pair.second if pair.winner == pair.first else pair.first
            beats[pair.winner].add(loser)
    order = sorted(labels, key=lambda label: (-sums[label], label))
    places, rank = [], 1
    for above, label in enumerate(order):
        if above and _line(order[:above], order[above:], beats):
            rank = above + 1
        score = sums[label] / len(labels)
        places.append(Place(label, rank, score, tuple(sorted(beats[label]))))
    return places


def _line(above: Sequence[str], below: Sequence[str], beats: Mapping[str, set[str]]) -> bool:
    return all(beats[label].issuperset(below) for label in above)
