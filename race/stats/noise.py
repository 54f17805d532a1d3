"""The margin that two contenders must differ by, from the noise that a race shows of itself.

A race has a noise floor: the A/A twin and its original are equal, and the A/A bound is the largest
difference that the interval between them allows, what processes keep for their lives included
(`processes`). Nothing else is in the margin. Other contenders that run the same code at a task
differ in what else they loaded; that is an effect, however small, and no noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

import numpy as np

from race.stats import signed_rank
from race.stats.estimate import Estimate
from race.stats.processes import Array, Kept, RoundValues, log_ratios

Groups = Sequence[AbstractSet[str]]
"""Labels of contenders that run the same code, a set for each code."""

LEAST_MARGIN = math.log(1.03)


def noise_floor(twin: RoundValues, original: RoundValues, kept: Kept) -> Estimate | None:
    """Estimate the A/A twin against its original at 90 %; None without a common round.

    The interval's farther end, `Estimate.bound`, is the A/A bound: the smallest difference that the
    two are shown not to exceed, at 5 %, by two one-sided tests (D. J. Schuirmann, J.
    Pharmacokinet. Biopharm. 15 (1987) 657). The race cannot see what is smaller.
    """
    return kept.estimate(log_ratios(twin, original), alpha=2 * signed_rank.ALPHA)


def widest(
    contenders: Mapping[str, RoundValues], groups: Groups, kept: Kept
) -> tuple[str, str, Estimate] | None:
    """Return the pair within a group that differs most, the faster one first; None without one."""
    found = [
        (first, second, estimate) if estimate.value >= 0 else (second, first, estimate.reversed())
        for group in groups
        for first, second in combinations(sorted(group & contenders.keys()), 2)
        if (estimate := kept.estimate(log_ratios(contenders[first], contenders[second])))
    ]
    return max(found, key=lambda one: one[2].value, default=None)


def margin(aa_bound: float | Array) -> Array:
    """Return how far from equal a ratio must be, from the A/A bound; both are on the log scale.

    It is infinite with an infinite A/A bound, when the twin ran for too few rounds.
    """
    found: Array = np.maximum(LEAST_MARGIN, aa_bound)
    return found
