"""More users, step by step, until a limit is passed: the knee is the last step within limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from locustfiles.shapes.plan import Field, ShapePlan
from locustfiles.shapes.totals import Totals
from locustfiles.shapes.values import (
    WrongField,
    read_milliseconds,
    read_seconds,
    read_share,
    read_users,
)

LIMITED = 0.95
LEAST_SECONDS = 6  # workers report every 3 s, so a shorter step would be judged by the last one


@dataclass(frozen=True)
class PassedStep:
    """A step within the limits."""

    users: int
    requests_per_second: float
    p95: int

    def __str__(self) -> str:
        rate = f"{self.requests_per_second:.1f} requests/s"
        return f"{self.users} users ({rate}, p95 {self.p95} ms)"


@dataclass
class Ramp(ShapePlan):
    """`first` users, `step` more after every `seconds`, up to `most`.

    Each step is judged at its end by its own requests alone: the 95th percentile against `p95`
    milliseconds, the share of failures against `ratio`.
    """

    first: int
    step: int
    seconds: int
    most: int
    p95: float
    ratio: float
    _steps: int = 0
    _before: Totals = field(default_factory=Totals)
    _held: PassedStep | None = None
    _breach: str | None = None

    FIELDS = (
        Field("ramp_first", "5", "users to begin with", read_users),
        Field("ramp_step", "5", "users that each step adds", read_users),
        Field("ramp_time", "20s", "time of each step", read_seconds),
        Field("ramp_most", "500", "users at most", read_users),
        Field("ramp_limit", "500ms", "limit of the 95th percentile", read_milliseconds),
        Field("ramp_ratio", "0.01", "limit of the share of failures", read_share),
    )

    def __post_init__(self) -> None:
        if self.first > self.most:
            too_many = f"{self.first} users are more than ramp_most, {self.most}"
            raise WrongField(f"ramp_first: {too_many}")
        if self.seconds < LEAST_SECONDS:
            too_short = f"{self.seconds} s are too short, at least {LEAST_SECONDS} s"
            raise WrongField(f"ramp_time: {too_short}")

    def observe(self, second: int, totals: Totals) -> None:
        """Judge a step that has just ended."""
        if second // self.seconds > self._steps and not self._over():
            users, passed = self._users(), totals.since(self._before)
            self._breach = self._judge(passed)
            if self._breach is None:
                rate = passed.requests / self.seconds
                self._held = PassedStep(users, rate, passed.percentile(LIMITED) or 0)
            self._steps, self._before = self._steps + 1, totals

    def users(self, second: int) -> int | None:
        return None if self._over() else self._users()

    def finding(self) -> str | None:
        """Say where the knee is."""
        if self._breach is None:
            return f"no knee up to {self._held}" if self._held else None
        if self._held is None:
            return f"no knee: with {self.first} users, the fewest, {self._breach}"
        tried = min(self.most, self._held.users + self.step)
        between = f"so between {self._held.users} and {tried} users"
        return f"the knee is at {self._held}: with {tried} users {self._breach}, {between}"

    def _users(self) -> int:
        return min(self.most, self.first + self.step * self._steps)

    def _over(self) -> bool:
        complete = self._held is not None and self._held.users == self.most
        return complete or self._breach is not None

    def _judge(self, passed: Totals) -> str | None:
        """Return which limit a step passed, or None."""
        p95 = passed.percentile(LIMITED)
        if p95 is None:
            return f"no request was answered in {self.seconds} s"
        if passed.failed > self.ratio:
            return f"{passed.failed:.1%} failed, over {self.ratio:.1%}"
        return f"p95 was {p95} ms, over {self.p95:g} ms" if p95 > self.p95 else None
