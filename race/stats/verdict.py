"""The three verdicts on a ratio. Whatever is printed anywhere renders one of them.

A margin alone gives two answers, and "not different" is then read as "equal", which a wide interval
never shows. Equality has to be shown as a difference has: by two one-sided tests (D. J. Schuirmann,
J. Pharmacokinet. Biopharm. 15 (1987) 657), here by an interval within `equality` on both sides.
"""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from race.stats.estimate import Estimate

Array = NDArray[np.float64]

MOST = math.log(1.05)
"""The largest difference that may be called equal, however wide the margin is.

The margin is the noise of a race. If it were the limit of equality as well, the noisier of two
races would show more contenders equal, and differences of 20 % among them.
"""

STRETCH = 1.6
"""The factor by which an interval is widened before it must lie within `equality`.

Equals are protected by the margin from being called different, however many pairs a report has.
Nothing protects contenders that differ by the limit itself: by their 95 % intervals a report would
show some of them equal in a quarter of all cases, by wider ones in less than one of twenty
(`simulation`).
"""


class Verdict(StrEnum):
    """The verdict of an interval and a margin on a ratio."""

    DIFFERENT = "different"
    """The whole interval lies beyond the margin."""
    EQUAL = "shown equal"
    """The whole interval, made `STRETCH` times as wide, lies within `equality` on both
    sides."""
    UNDECIDED = "undecided"
    """Everything else, also where there is no interval or no margin."""


def equality(margin: float) -> float:
    """Return how far from equal two may be that are shown equal, on the log scale."""
    return min(margin, MOST)


def verdict(estimate: Estimate | None, margin: float) -> Verdict:
    """Return the verdict on a ratio; `margin` is on the log scale."""
    if estimate is None or not estimate.bounded or math.isinf(margin):
        return Verdict.UNDECIDED
    value, low, high, limit = map(
        np.array, (estimate.value, estimate.low, estimate.high, float(margin))
    )
    if winners(low, high, limit):
        return Verdict.DIFFERENT
    return Verdict.EQUAL if equals(value, low, high, limit) else Verdict.UNDECIDED


def winners(low: Array, high: Array, margin: Array) -> NDArray[np.int64]:
    """Return 1 for the first of a pair, -1 for the second, 0 where they are not different."""
    return np.asarray((low > margin).astype(int) - (high < -margin))


def equals(value: Array, low: Array, high: Array, margin: Array) -> NDArray[np.bool_]:
    """Return which pairs are shown equal."""
    limit = np.minimum(margin, MOST)
    near = value - STRETCH * (value - low) >= -limit
    return np.asarray(near & (value + STRETCH * (high - value) <= limit) & np.isfinite(margin))


def winner(estimate: Estimate | None, margin: float) -> int:
    """Return 1 when the first of a pair beats the second, -1 for the reverse, else 0."""
    if estimate is None or verdict(estimate, margin) is not Verdict.DIFFERENT:
        return 0
    return 1 if estimate.value > 0 else -1
