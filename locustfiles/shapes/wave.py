"""Users that come and go as a sine."""

from __future__ import annotations

import math
from dataclasses import dataclass

from locustfiles.shapes.plan import Field, ShapePlan
from locustfiles.shapes.values import WrongField, read_seconds, read_users, read_users_or_none


@dataclass(frozen=True)
class Wave(ShapePlan):
    """A sine between `low` and `high` users that begins at `low`. Times are seconds."""

    low: int
    high: int
    period: int
    length: int

    FIELDS = (
        Field("wave_low", "5", "fewest users", read_users_or_none),
        Field("wave_high", "50", "most users", read_users),
        Field("wave_period", "60s", "time from one high to the next", read_seconds),
        Field("wave_time", "5m", "time of the whole run", read_seconds),
    )

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise WrongField(
                f"wave_low: {self.low} users are not fewer than wave_high, {self.high}"
            )

    def users(self, second: int) -> int | None:
        if second >= self.length:
            return None
        # An inverted cosine begins at its lowest.
        turn = (1 - math.cos(math.tau * second / self.period)) / 2
        return self.low + round((self.high - self.low) * turn)
