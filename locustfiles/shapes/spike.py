"""A sudden rush of users."""

from __future__ import annotations

from dataclasses import dataclass

from locustfiles.shapes.plan import Field, ShapePlan
from locustfiles.shapes.values import read_seconds, read_users


@dataclass(frozen=True)
class Spike(ShapePlan):
    """`base` users, suddenly `peak` of them, and `base` again. Times are seconds."""

    base: int
    peak: int
    before: int
    during: int
    after: int

    FIELDS = (
        Field("spike_base", "10", "users before and after", read_users),
        Field("spike_peak", "100", "users of the rush", read_users),
        Field("spike_before", "60s", "time until it comes", read_seconds),
        Field("spike_during", "20s", "time that it stays", read_seconds),
        Field("spike_after", "60s", "time to recover", read_seconds),
    )

    def users(self, second: int) -> int | None:
        if second >= self.before + self.during + self.after:
            return None
        return self.peak if 0 <= second - self.before < self.during else self.base
