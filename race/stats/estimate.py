"""An estimate on the log scale with its interval, and the ratio it stands for."""

from __future__ import annotations

import math
from dataclasses import dataclass

_EXACT = 1e-9  # 1.15 / 0.01 is a little less than 115 in floating point


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
        """Return the estimate of the inverse ratio."""
        return Estimate(-self.value, -self.high, -self.low, self.n)

    def as_json(self) -> dict[str, float | None]:
        """Return ratios, not logs; a missing limit is None."""
        low, high = (math.exp(self.low), math.exp(self.high)) if self.bounded else (None, None)
        return {"ratio": self.ratio, "low": low, "high": high, "rounds": self.n}

    def __str__(self) -> str:
        if not self.bounded:
            return f"{show_ratio(self.ratio)}×"
        value, limits = show_interval(self.ratio, math.exp(self.low), math.exp(self.high))
        return f"{value}× {limits}"


def show_ratio(ratio: float) -> str:
    """Return the text of a ratio without an interval: 0.97, 1.08, 3.1, 31."""
    return f"{ratio:,.{_few(ratio)}f}"


def show_interval(ratio: float, low: float, high: float) -> tuple[str, str]:
    """Return the text of a ratio and of its limits: "1.312" and "[1.268, 1.357]".

    The last digit is worth a tenth of the half-width at most, and limits are rounded outwards, so
    that what is printed never claims more than what was computed, nor a tenth less.
    """
    tenth = (high - low) / 20
    deserved = math.ceil(-math.log10(tenth) - _EXACT) if tenth > 0 else 0
    decimals = max(_few(ratio), deserved)
    unit = 10.0**-decimals
    lower = math.floor(low / unit + _EXACT) * unit
    upper = math.ceil(high / unit - _EXACT) * unit
    return f"{ratio:,.{decimals}f}", f"[{lower:,.{decimals}f}, {upper:,.{decimals}f}]"


def _few(ratio: float) -> int:
    """Return the decimals that leave two significant digits, or whole numbers."""
    return 2 if ratio < 2 else 1 if ratio < 20 else 0
