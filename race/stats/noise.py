"""The margin that two contenders must differ by, from the noise that a race shows of itself.

Two contenders that are equal can seem to differ for three reasons. (1) Rounds scatter: this is in
the interval of the pair that is judged. (2) The race has a noise floor: the A/A twin and its
original are equal, and the A/A bound is the largest difference that their interval allows.
(3) Processes that run the same code can differ for as long as they live, by the layout of their
memory or by what else they loaded. No number of rounds averages that out, and no interval has it.
It shows in pairs that run the same code as what exceeds the scatter of their rounds; two standard
deviations of it are added to the margin.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from race.stats import signed_rank
from race.stats.estimate import Estimate

Array = NDArray[np.float64]

RoundValues = Mapping[int, float]
"""The mean log of the rate in each round, by round number."""

Groups = Sequence[AbstractSet[str]]
"""Labels of contenders that run the same code, a set for each code."""

LEAST_MARGIN = math.log(1.03)
DEVIATIONS = 2
"""The multiple of `between` in the margin; tests/long/race/test_simulation.py shows the error
rates.
"""


def log_ratios(first: RoundValues, second: RoundValues) -> list[float]:
    """Return the log of first over second for each round that both have, in round order."""
    return [first[number] - second[number] for number in sorted(first.keys() & second.keys())]


def noise_floor(twin: RoundValues, original: RoundValues) -> Estimate | None:
    """Estimate the A/A twin against its original at 90 %; None without a common round.

    The interval's farther end, `Estimate.bound`, is the A/A bound: the smallest difference that the
    two are shown not to exceed, at 5 %, by two one-sided tests (D. J. Schuirmann, J.
    Pharmacokinet. Biopharm. 15 (1987) 657). The race cannot see what is smaller.
    """
    ratios = log_ratios(twin, original)
    return signed_rank.hodges_lehmann(ratios, alpha=2 * signed_rank.ALPHA) if ratios else None


def same_code(contenders: Mapping[str, RoundValues], groups: Groups) -> list[list[float]]:
    """Return the log-ratios of each pair within a group, in the rounds that both have."""
    pairs = (
        log_ratios(contenders[first], contenders[second])
        for group in groups
        for first, second in combinations(sorted(group & contenders.keys()), 2)
    )
    return [ratios for ratios in pairs if ratios]


def widest(pairs: Iterable[Sequence[float]]) -> Estimate | None:
    """Estimate the pair that differs most, with a ratio of 1 or more; None without a pair."""
    estimates = [signed_rank.hodges_lehmann(ratios) for ratios in pairs]
    turned = (one if one.value >= 0 else one.reversed() for one in estimates)
    return max(turned, key=lambda one: one.value, default=None)


def between(pairs: Sequence[Array]) -> Array:
    """Return the standard deviation between processes of the same code, beyond rounds' scatter.

    Each of `pairs` has log-ratios along its last axis. An estimate d has the variance that is
    sought plus that of its own error, s^2/n; so the mean of d^2 - s^2/n over all pairs of the race
    estimates the variance, or 0 where it is negative (variance components by the method of moments:
    S. R. Searle, G. Casella, C. E. McCulloch, Variance Components, Wiley 1992, chapter 3; for
    estimates of unequal error W. G. Cochran, Suppl. J. R. Stat. Soc. 4 (1937) 102). It is 0
    with fewer than two pairs of two rounds and more: one pair shows no variance, and its difference
    is in the A/A bound.
    """
    squares = [
        signed_rank.limits(ratios)[0] ** 2 - ratios.var(axis=-1, ddof=1) / ratios.shape[-1]
        for ratios in pairs
        if ratios.shape[-1] > 1
    ]
    if len(squares) < 2:
        return np.zeros(pairs[0].shape[:-1] if pairs else ())
    found: Array = np.sqrt(np.maximum(0.0, np.mean(squares, axis=0)))
    return found


def margin(aa_bound: float | Array, between: float | Array, widest: float | Array) -> Array:
    """Return how far from equal a ratio must be; all values are on the log scale.

    It is the larger of 3 % and the A/A bound, widened by `between`, and never less than the pair of
    controls that differs most here. It is infinite with an infinite A/A bound, when the twin ran
    for too few rounds.
    """
    noise = np.maximum(LEAST_MARGIN, aa_bound) + DEVIATIONS * np.asarray(between)
    found: Array = np.maximum(noise, widest)
    return found
