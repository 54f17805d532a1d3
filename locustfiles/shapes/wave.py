"""Users that come and go as a sine."""

from __future__ import annotations

import math
from dataclasses import dataclass

from locustfiles.shapes.plan import Field, Plan
from locustfiles.shapes.values import Values, WrongField


@dataclass(frozen=True)
class Wave(Plan):
    """A sine between `low` and `high` users that begins at `low`. Times are seconds."""

    low: int
    high: int
    period: int
    length: int

    FIELDS = (
        Field("wave_low", "5", "fewest users"),
        Field("wave_high", "50", "most users"),
        Field("wave_period", "60s", "time from one high to the next"),
        Field("wave_time", "5m", "time of the whole run"),
    )

    @classmethod
    def parse(cls, values: Values) -> Wave:
        low, high = values.users("wave_low", least=0), values.users("wave_high")
        if low >= high:
            raise WrongField(f"wave_low: {low} users are not fewer than wave_high, {high}")
        return cls(low, high, values.seconds("wave_period"), values.seconds("wave_time"))

    def users(self, second: int) -> int | None:
        if second >= self.length:
            return None
        # An inverted cosine begins at its lowest.
        turn = (1 - math.cos(math.tau * second / self.period)) / 2
        return self.low + round((self.high - self.low) * turn)
