"""Up in steps, then down: the shape of the article on psycopg 3."""

from __future__ import annotations

import re
from dataclasses import dataclass

from locustfiles.shapes.plan import Field, ShapePlan, Stage, moved
from locustfiles.shapes.values import WrongField, read_rate, read_seconds, read_users_or_none

STAGES = "steps_stages"


def read_stages(name: str, text: str) -> tuple[Stage, ...]:
    """Return the stages of `25:80 50:2m`."""
    found = tuple(_stage(name, one) for one in re.split(r"[,\s]+", text) if one)
    if not found:
        raise WrongField(f"{name}: no stages: as in 25:80 50:80 0:40")
    return found


def _stage(name: str, text: str) -> Stage:
    number, colon, time = text.partition(":")
    if not colon:
        raise WrongField(f"{name}: {text!r} is no stage: users:time, as in 25:80 or 25:2m")
    return Stage(read_users_or_none(name, number), read_seconds(name, time))


@dataclass(frozen=True)
class Steps(ShapePlan):
    """Stages one after the other; `rate` users come or leave in a second on the way to each."""

    stages: tuple[Stage, ...]
    rate: float

    FIELDS = (
        Field(STAGES, "25:80 50:80 70:80 0:40", "users:time of each stage", read_stages),
        Field("steps_rate", "2", "users that come or leave in a second", read_rate),
    )

    def __post_init__(self) -> None:
        """Check that each stage is long enough to reach its users."""
        before = 0
        for number, stage in enumerate(self.stages, start=1):
            needed = abs(stage.users - before) / self.rate
            if needed > stage.seconds:
                raise WrongField(
                    f"{STAGES}: stage {number} has {stage.seconds} s, and from {before} to "
                    f"{stage.users} users it takes {needed:.0f} s at {self.rate:g} a second"
                )
            before = stage.users

    def users(self, second: int) -> int | None:
        before, begin = 0, 0
        for stage in self.stages:
            if second < begin + stage.seconds:
                return moved(before, stage.users, self.rate * (second + 1 - begin))
            before, begin = stage.users, begin + stage.seconds
        return None
