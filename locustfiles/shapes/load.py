"""What a site has answered: counts of requests, failures and times."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Load:
    """Counts since a run began: ``times`` is {milliseconds: requests}, rounded as Locust does, to
    two digits.
    """

    requests: int = 0
    failures: int = 0
    times: Mapping[int, int] = field(default_factory=dict)

    def since(self, before: Load) -> Load:
        """What came after."""
        times = {time: number - before.times.get(time, 0) for time, number in self.times.items()}
        return Load(
            self.requests - before.requests,
            self.failures - before.failures,
            {time: number for time, number in times.items() if number > 0},
        )

    @property
    def failed(self) -> float:
        """The share of failures, 0 to 1; 0 where nothing was asked."""
        return self.failures / self.requests if self.requests else 0.0

    def percentile(self, part: float) -> int | None:
        """Milliseconds that ``part`` of the requests took at most (the nearest rank: the smallest
        time that so many are not above); None where none was timed.
        """
        rank = math.ceil(part * sum(self.times.values()))
        for time in sorted(self.times):
            rank -= self.times[time]
            if rank <= 0:
                return time
        return None
