"""Quantiles of Student's t for whole degrees of freedom."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate
from operator import mul


def within(t: float, freedom: int) -> float:
    """Return P(-t <= T <= t) (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions,
    1964, 26.7.3 and 26.7.4).
    """
    angle = math.atan2(t, math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    first = 2 + freedom % 2
    steps = (cosine**2 * (k - 1) / k for k in range(first, freedom - 1, 2))
    if freedom % 2 == 0:
        return sine * math.fsum(accumulate(steps, mul, initial=1.0))
    more = math.fsum(accumulate(steps, mul, initial=cosine)) if freedom > 1 else 0.0
    return 2 / math.pi * (angle + sine * more)


@lru_cache(maxsize=256)
def quantile(alpha: float, freedom: int) -> float:
    """Return the t that |T| exceeds with the probability `alpha`, by bisection."""
    low, high = 0.0, 1.0
    while within(high, freedom) < 1 - alpha:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < 1 - alpha else (low, middle)
    return high
