"""The same load for hours, which shows leaks, what fills up and what slows down."""

from __future__ import annotations

from dataclasses import dataclass

from locustfiles.shapes.plan import Field, ShapePlan, moved
from locustfiles.shapes.values import read_seconds, read_users


@dataclass(frozen=True)
class Soak(ShapePlan):
    """Up to `peak` users in `ramp` seconds, `plateau` seconds there, and down as it went up."""

    peak: int
    ramp: int
    plateau: int

    FIELDS = (
        Field("soak_users", "30", "users of the plateau", read_users),
        Field("soak_ramp", "1m", "time on the way up, and down", read_seconds),
        Field("soak_time", "2h", "time of the plateau", read_seconds),
    )

    def users(self, second: int) -> int | None:
        begins = self.ramp + self.plateau
        if second >= begins + self.ramp:
            return None
        rate = self.peak / self.ramp
        if second < begins:
            return max(1, moved(0, self.peak, rate * (second + 1)))
        return moved(self.peak, 0, rate * (second + 1 - begins))
