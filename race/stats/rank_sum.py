"""Unpaired comparison of two runs: the Mann-Whitney/Wilcoxon rank sum, exactly.

Rounds of two runs do not belong together in pairs, so their logs are compared as two samples.
Source: Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 3rd ed., chapter 4 (4.1 the
test, 4.2 the estimate by Hodges and Lehmann, 4.3 Moses' interval).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from race.stats.estimate import Estimate
from race.stats.signed_rank import ALPHA, Array


def shift(
    old: Sequence[float] | Array, new: Sequence[float] | Array, alpha: float = ALPHA
) -> Estimate:
    """Estimate how far `new` lies above `old` by the median of all differences new_j - old_i.

    The limits are the k-th smallest and k-th largest of the m*n differences, k the largest whole
    number with P(U <= k - 1) <= alpha/2; infinite when m and n are too small (4 and 4 are enough
    for 5 %). Raises ValueError when either sample is empty.
    """
    if not len(old) or not len(new):
        raise ValueError("no observations")
    differences = np.sort(np.subtract.outer(np.asarray(new, float), np.asarray(old, float)).ravel())
    n, k = min(len(old), len(new)), interval_rank(len(old), len(new), alpha)
    centre = float(np.median(differences))
    if k == 0:
        return Estimate(centre, -math.inf, math.inf, n)
    return Estimate(centre, float(differences[k - 1]), float(differences[-k]), n)


@lru_cache(maxsize=256)
def interval_rank(m: int, n: int, alpha: float = ALPHA) -> int:
    """Return the k of `shift`; 0 when the samples are too small for an interval at this alpha."""
    untied = np.arange(2, 2 * (m + n) + 2, 2)
    chances = _distribution(tuple(int(rank) for rank in untied), m)[int(untied[:m].sum()) :: 2]
    return int(np.sum(np.cumsum(chances) <= alpha / 2 + 1e-12))


@lru_cache(maxsize=64)
def _distribution(doubled: tuple[int, ...], size: int) -> Array:
    """P(sum of `size` of these doubled ranks, drawn without replacement, = t) for t = 0, 1, ..."""
    ways: NDArray[np.float64] = np.zeros((size + 1, sum(doubled) + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    chances: Array = ways[size] / math.comb(len(doubled), size)
    return chances
