"""Paired comparison without assuming a distribution: Wilcoxon's signed ranks, exactly.

Observations are per-round log-ratios; the only assumption is that they scatter symmetrically
around one centre. Source of all formulas: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric
Statistical Methods, 3rd ed., Wiley 2014, chapter 3 (3.1 the test, 3.2 the estimate, 3.3 the
interval); the estimate is from J. L. Hodges and E. L. Lehmann, Ann. Math. Stat. 34 (1963) 598.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from race.stats.estimate import Estimate

Array = NDArray[np.float64]

ALPHA = 0.05


def walsh_averages(values: Sequence[float] | Array) -> Array:
    """Return the n(n+1)/2 means (x_i + x_j)/2 for i <= j, ascending, along the last axis."""
    x = np.asarray(values, dtype=float)
    first, second = np.triu_indices(x.shape[-1])
    return np.sort((x[..., first] + x[..., second]) / 2, axis=-1)


def hodges_lehmann(values: Sequence[float] | Array, alpha: float = ALPHA) -> Estimate:
    """Estimate the centre: the median of the Walsh averages, with an interval between two of them.

    The limits are the k-th smallest and k-th largest of the M = n(n+1)/2 averages, where k is the
    largest whole number with P(T <= k - 1) <= alpha/2 and T is Wilcoxon's statistic; so the
    coverage is at least 1 - alpha for every n. Below six observations no k exists for alpha = 5 %
    and the limits are infinite. Raises ValueError without observations.
    """
    value, low, high = limits(np.asarray(values, dtype=float), alpha)
    return Estimate(float(value), float(low), float(high), len(values))


def limits(values: Array, alpha: float = ALPHA) -> tuple[Array, Array, Array]:
    """Return `hodges_lehmann` along the last axis: estimates, lower limits, upper limits."""
    n = values.shape[-1]
    if not n:
        raise ValueError("no observations")
    averages, k = walsh_averages(values), interval_rank(n, alpha)
    centre: Array = np.median(averages, axis=-1)
    if k == 0:
        infinite = np.full_like(centre, math.inf)
        return centre, -infinite, infinite
    return centre, averages[..., k - 1], averages[..., -k]


@lru_cache(maxsize=256)
def interval_rank(n: int, alpha: float = ALPHA) -> int:
    """Return the k of `hodges_lehmann`; 0 when n is too small for an interval at this alpha."""
    chances = _distribution(tuple(range(2, 2 * n + 2, 2)))[::2]
    return int(np.sum(np.cumsum(chances) <= alpha / 2 + 1e-12))


@lru_cache(maxsize=256)
def _distribution(doubled: tuple[int, ...]) -> Array:
    """P(doubled ranks with a positive sign sum to t) for t = 0, 1, ...; signs are fair coins."""
    chances = np.zeros(sum(doubled) + 1)
    chances[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(chances)
        shifted[rank:] = chances[: len(chances) - rank]
        chances = (chances + shifted) / 2
    return chances


def rounds_needed(alpha: float = ALPHA) -> int:
    """Return the fewest observations with an interval at this alpha: ceil(log2(2 / alpha)), six at
    5 %.

    The smallest two-sided p of n observations is 2/2^n.
    """
    return math.ceil(math.log2(2 / alpha))
