"""What users saw from second to second; Locust's own history looks back over ten seconds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from locustfiles.shapes.load import Load

EVERY_SECONDS = 1.0
# Workers report every 3 s; and fewer requests have no 95th percentile worth the name.
WINDOW = 3
MIDDLE, HIGH = 0.5, 0.95

Moment = dict[str, Any]


class Look(NamedTuple):
    """What was counted up to a time."""

    time: float
    load: Load


class Timeline:
    """Moments of a run that began now: ``load`` says what was answered since, ``users`` how many
    there are.
    """

    def __init__(self, load: Callable[[], Load], users: Callable[[], int]) -> None:
        self.moments: list[Moment] = []
        self._load = load
        self._users = users
        self._looks = deque([Look(time.time(), Load())], maxlen=WINDOW)
        self._begun = self._looks[0].time

    def follow(self, sleep: Callable[[float], None]) -> None:
        """Look every second, until somebody ends the greenlet."""
        while True:
            due = self._begun + EVERY_SECONDS * (len(self.moments) + 1)
            sleep(max(0.0, due - time.time()))
            self.look(time.time())

    def look(self, now: float) -> None:
        """Note a moment: of the last WINDOW seconds, or of as many as there were."""
        first, load = self._looks[0], self._load()
        self._looks.append(Look(now, load))
        passed = load.since(first.load)
        seconds = max(now - first.time, 1e-3)
        self.moments.append(
            {
                "second": round(now - self._begun, 2),
                "users": self._users(),
                "requests_per_second": (passed.requests - passed.failures) / seconds,
                "failures_per_second": passed.failures / seconds,
                "median": passed.percentile(MIDDLE),
                "p95": passed.percentile(HIGH),
            }
        )
