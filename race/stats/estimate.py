"""An estimate on the log scale with its interval, and the ratio it stands for."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A log-ratio with a two-sided interval.

    `low` and `high` are minus and plus infinity when `n` observations are too few for an interval
    at the asked confidence: nothing is known about the ratio's limits then, and nothing is claimed.
    """

    value: float
    low: float
    high: float
    n: int

    @property
    def ratio(self) -> float:
        return math.exp(self.value)

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def bound(self) -> float:
        """The largest distance from equality that the interval allows, on the log scale."""
        return max(abs(self.low), abs(self.high))

    def reversed(self) -> Estimate:
        """The same comparison the other way round."""
        return Estimate(-self.value, -self.high, -self.low, self.n)

    def as_json(self) -> dict[str, float | None]:
        """Ratios, not logs; a missing limit is null."""
        low, high = (math.exp(self.low), math.exp(self.high)) if self.bounded else (None, None)
        return {"ratio": self.ratio, "low": low, "high": high, "rounds": self.n}

    def __str__(self) -> str:
        if not self.bounded:
            return f"{show_ratio(self.ratio)}×"
        low, high = math.exp(self.low), math.exp(self.high)
        digits = _decimals(self.ratio, high - low)
        return f"{self.ratio:,.{digits}f}× [{low:,.{digits}f}, {high:,.{digits}f}]"


def show_ratio(ratio: float) -> str:
    """A ratio that has no interval, with few digits: 0.97, 1.08, 3.1, 31."""
    return f"{ratio:,.{_decimals(ratio, ratio)}f}"


def _decimals(ratio: float, width: float) -> int:
    """As many decimals as the interval's width deserves: two at most, and two below 2."""
    least = 2 if ratio < 2 else 1 if ratio < 20 else 0
    deserved = -math.floor(math.log10(width)) if width > 0 else 2
    return min(2, max(least, deserved))
