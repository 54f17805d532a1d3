"""Winners of pairs, and the ranks that follow from them.

A beats B when the two are different by `verdict` and A is the faster one. Many pairs are compared
at once; how often a whole report of equals names a winner anywhere is simulated (`simulation`).

"Not different" is not transitive: A may not differ from B, nor B from C, while A beats C. So a
contender has no single rank but a set of them, from its own pairs: of n contenders, one that k
others beat and that beats m itself is at best 1 + k and at worst n - m (M. Mogstad, J. P. Romano,
A. M. Shaikh, D. Wilhelm, Inference for Ranks with Applications to Mobility across Neighbourhoods
and Academic Achievement across Countries, Rev. Econ. Stud. 91 (2024) 476). The true rank is 1 + the
number of those that are truly faster: where no winner of a pair is a false one, all sets hold it,
all at once. How often equals are falsely won is what `simulation` states; that the slower of a pair
wins takes a larger error still.

The order is by the mean log-ratio to all others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from race.stats.estimate import Estimate
from race.stats.noise import Groups
from race.stats.processes import NOTHING, Kept, RoundValues, log_ratios
from race.stats.verdict import Verdict, verdict, winner


@dataclass(frozen=True, slots=True)
class Pair:
    """`first` against `second`; `winner` is one of the two labels where they are different."""

    first: str
    second: str
    estimate: Estimate
    verdict: Verdict
    winner: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """One contender with its best and its worst possible rank (1 is best), and whom it beats.

    `score` is its mean log-ratio to all others.
    """

    label: str
    ranks: tuple[int, int]
    score: float
    beats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    places: list[Place]
    pairs: list[Pair]


def find_pair(pairs: Iterable[Pair], first: str, second: str) -> Pair | None:
    """Return the pair of two contenders, turned so that `first` comes first."""
    for pair in pairs:
        if (pair.first, pair.second) == (first, second):
            return pair
        if (pair.first, pair.second) == (second, first):
            return Pair(first, second, pair.estimate.reversed(), pair.verdict, pair.winner)
    return None


def rank(
    contenders: Mapping[str, RoundValues],
    margin: float,
    same: Groups = (),
    kept: Kept = NOTHING,
    bounds: Mapping[str, RoundValues] | None = None,
) -> Ranking:
    """Compare every pair of contenders and rank them all; nobody beats whom it has no round with.

    Contenders within one group of `same` run the same code and are never different. `bounds` are
    contenders whose rate is a lower bound: they have a place where they beat somebody all the same,
    nobody beats them, and they are in no pair.
    """
    labels = sorted(contenders)
    pairs = []
    for first, second in combinations(labels, 2):
        estimate = kept.estimate(log_ratios(contenders[first], contenders[second]))
        if estimate is not None:
            alike = any({first, second} <= group for group in same)
            pairs.append(_pair(first, second, estimate, margin, alike))
    above = []
    for label, logs in (bounds or {}).items():
        estimates = {
            other: estimate
            for other in labels
            if not any({label, other} <= group for group in same)
            and (estimate := kept.estimate(log_ratios(logs, contenders[other])))
        }
        beats = {other for other, one in estimates.items() if winner(one, margin) > 0}
        if beats:
            score = math.fsum(one.value for one in estimates.values()) / len(estimates)
            above.append((label, score, beats))
    return Ranking(_places(labels, pairs, above), pairs)


def _pair(first: str, second: str, estimate: Estimate, margin: float, alike: bool) -> Pair:
    found, won = decided(estimate, margin, alike)
    return Pair(first, second, estimate, found, {1: first, -1: second}.get(won))


def decided(estimate: Estimate | None, margin: float, alike: bool) -> tuple[Verdict, int]:
    """Return the verdict and `winner`; two that are `alike`, running the same code, never win."""
    found = verdict(estimate, margin)
    if alike and found is Verdict.DIFFERENT:
        return Verdict.UNDECIDED, 0
    return found, winner(estimate, margin)


def _places(
    labels: Sequence[str], pairs: Sequence[Pair], above: Sequence[tuple[str, float, set[str]]]
) -> list[Place]:
    beats: dict[str, set[str]] = {label: set() for label in labels}
    beaten = Counter(label for _, _, each in above for label in each)
    sums = dict.fromkeys(labels, 0.0)
    for pair in pairs:
        sums[pair.first] += pair.estimate.value
        sums[pair.second] -= pair.estimate.value
        if pair.winner is not None:
            loser = pair.second if pair.winner == pair.first else pair.first
            beats[pair.winner].add(loser)
            beaten[loser] += 1
    scores = {label: total / len(labels) for label, total in sums.items()}
    for label, score, each in above:
        scores[label], beats[label] = score, each
    return [
        Place(
            label=label,
            ranks=(1 + beaten[label], len(scores) - len(beats[label])),
            score=scores[label],
            beats=tuple(sorted(beats[label])),
        )
        for label in sorted(scores, key=lambda label: (-scores[label], label))
    ]
