"""Up in steps, then down: the shape of the article on psycopg 3."""

from __future__ import annotations

import re
from dataclasses import dataclass

from locustfiles.shapes.plan import Field, Plan, Stage, moved
from locustfiles.shapes.values import Values, WrongField, span, whole

STAGES = "steps_stages"


@dataclass(frozen=True)
class Steps(Plan):
    """Stages one after the other; `rate` users come or leave in a second on the way to each."""

    stages: tuple[Stage, ...]
    rate: float

    FIELDS = (
        Field(STAGES, "25:80 50:80 70:80 0:40", "users:time of each stage"),
        Field("steps_rate", "2", "users that come or leave in a second"),
    )

    @classmethod
    def parse(cls, values: Values) -> Steps:
        """Return the plan; each stage must be long enough to reach its users."""
        rate = values.positive("steps_rate", "rate")
        stages = tuple(_stage(text) for text in re.split(r"[,\s]+", values.text(STAGES)) if text)
        if not stages:
            raise WrongField(f"{STAGES}: no stages: as in 25:80 50:80 0:40")
        before = 0
        for number, stage in enumerate(stages, start=1):
            needed = abs(stage.users - before) / rate
            if needed > stage.seconds:
                raise WrongField(
                    f"{STAGES}: stage {number} has {stage.seconds} s, and from {before} to "
                    f"{stage.users} users it takes {needed:.0f} s at {rate:g} a second"
                )
            before = stage.users
        return cls(stages, rate)

    def users(self, second: int) -> int | None:
        before, begin = 0, 0
        for stage in self.stages:
            if second < begin + stage.seconds:
                return moved(before, stage.users, self.rate * (second + 1 - begin))
            before, begin = stage.users, begin + stage.seconds
        return None


def _stage(text: str) -> Stage:
    users, colon, seconds = text.partition(":")
    if not colon:
        raise WrongField(f"{STAGES}: {text!r} is no stage: users:time, as in 25:80 or 25:2m")
    return Stage(whole(STAGES, users, 0), span(STAGES, seconds))
