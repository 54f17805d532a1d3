"""The three verdicts on a ratio. Whatever is printed anywhere renders one of them.

A margin alone gives two answers, and "not different" is then read as "equal", which a wide interval
never shows. Equality has to be shown as a difference has: by two one-sided tests (D. J. Schuirmann,
J. Pharmacokinet. Biopharm. 15 (1987) 657), here by an interval inside the margin on both sides.
"""

from __future__ import annotations

import math
from enum import StrEnum

from race.stats.estimate import Estimate

STRETCH = 1.6
"""How much wider than the interval that is printed the one is which must lie within the margin.

Equals are protected by the margin from being called different, however many pairs a report has.
Nothing protects contenders that differ by the margin itself: by their 95 % intervals a report would
show some of them equal in a quarter of all cases, by wider ones in less than one of twenty
(`simulation`).
"""


class Verdict(StrEnum):
    """What an interval and a margin show of a ratio."""

    DIFFERENT = "different"
    """The whole interval lies beyond the margin."""
    EQUAL = "shown equal"
    """The whole interval, made `STRETCH` times as wide, lies within the margin on both sides."""
    UNDECIDED = "undecided"
    """Everything else, also where there is no interval or no margin."""


def verdict(estimate: Estimate | None, margin: float) -> Verdict:
    """Return the verdict on a ratio; `margin` is on the log scale."""
    if estimate is None or not estimate.bounded:
        return Verdict.UNDECIDED
    if estimate.low > margin or estimate.high < -margin:
        return Verdict.DIFFERENT
    farthest = max(
        STRETCH * (estimate.high - estimate.value) + estimate.value,
        STRETCH * (estimate.value - estimate.low) - estimate.value,
    )
    return Verdict.EQUAL if farthest <= margin < math.inf else Verdict.UNDECIDED


def winner(estimate: Estimate | None, margin: float) -> int:
    """Return 1 when the first of a pair beats the second, -1 for the reverse, else 0."""
    if estimate is None or verdict(estimate, margin) is not Verdict.DIFFERENT:
        return 0
    return 1 if estimate.value > 0 else -1
