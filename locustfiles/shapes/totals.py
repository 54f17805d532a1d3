"""Totals of what a site has answered: requests, failures and times."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Totals:
    """Counts since a run began: `times` is {milliseconds: requests}, rounded to two digits as
    Locust does.
    """

    requests: int = 0
    failures: int = 0
    times: Mapping[int, int] = field(default_factory=dict)

    def since(self, before: Totals) -> Totals:
        """Return what came after `before`."""
        times = {time: number - before.times.get(time, 0) for time, number in self.times.items()}
        return Totals(
            self.requests - before.requests,
            self.failures - before.failures,
            {time: number for time, number in times.items() if number > 0},
        )

    def plus(self, more: Totals) -> Totals:
        """Return both together."""
        times = dict(self.times)
        for time, number in more.times.items():
            times[time] = times.get(time, 0) + number
        return Totals(self.requests + more.requests, self.failures + more.failures, times)

    @property
    def failed(self) -> float:
        """The share of failures, 0 to 1; 0 without requests."""
        return self.failures / self.requests if self.requests else 0.0

    def percentile(self, part: float) -> int | None:
        """Return the nearest-rank percentile in milliseconds: the smallest time that `part` of the
        requests did not exceed. None if no request was timed.
        """
        rank = math.ceil(part * sum(self.times.values()))
        for time in sorted(self.times):
            rank -= self.times[time]
            if rank <= 0:
                return time
        return None
