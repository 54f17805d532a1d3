"""Who beat whom, and the ranks that follow from it.

A beats B when the 95 % interval of A's per-round log-ratio to B lies above the margin (`noise`).
Without an interval, or without a bound, nobody beats anybody. Otherwise the two cannot be told
apart and share a rank. Many pairs are compared at once; how often a whole report of equals names a
winner anywhere is simulated (`simulation`).

"Cannot be told apart" is not transitive: A may tie with B, and B with C, while A beats C. The rule
chosen here: contenders are sorted by their mean log-ratio to all others, and a line is drawn under
one only when everyone above the line beat everyone below it. Those between two lines share a rank,
1 plus the number above. So two different ranks always mean a winner declared in that very pair,
two that tie always share a rank, and a chain of ties costs resolution, never correctness. Winners
inside a shared rank are still listed as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.noise import Groups, Rounds, log_ratios


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
