"""A sudden rush of users."""

from __future__ import annotations

from dataclasses import dataclass

from locustfiles.shapes.plan import Field, Plan
from locustfiles.shapes.values import Values


@dataclass(frozen=True)
class Spike(Plan):
    """`base` users, suddenly `peak` of them, and `base` again. Times are seconds."""

    base: int
    peak: int
    before: int
    during: int
    after: int

    FIELDS = (
        Field("spike_base", "10", "users before and after"),
        Field("spike_peak", "100", "users of the rush"),
        Field("spike_before", "60s", "time until it comes"),
        Field("spike_during", "20s", "time that it stays"),
        Field("spike_after", "60s", "time to recover"),
    )

    @classmethod
    def parse(cls, values: Values) -> Spike:
        return cls(
            values.users("spike_base"),
            values.users("spike_peak"),
            values.seconds("spike_before"),
            values.seconds("spike_during"),
            values.seconds("spike_after"),
        )

    def users(self, second: int) -> int | None:
        if second >= self.before + self.during + self.after:
            return None
        return self.peak if 0 <= second - self.before < self.during else self.base
