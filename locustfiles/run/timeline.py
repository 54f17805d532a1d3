"""The timeline of a run by the second; Locust's own history looks back over ten seconds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from locustfiles.shapes.totals import Totals

EVERY_SECONDS = 1.0
WINDOW = 3  # seconds: workers report every 3 s, and fewer requests have no 95th percentile


class Timeline:
    """Moments of a run that begins now.

    `totals` returns what was answered since then, `users` how many users there are.
    """

    def __init__(self, totals: Callable[[], Totals], users: Callable[[], int]) -> None:
        self.moments: list[dict[str, Any]] = []
        self._totals = totals
        self._users = users
        self._begun = time.time()
        self._before = deque([(self._begun, Totals())], maxlen=WINDOW)

    def follow(self, sleep: Callable[[float], None]) -> None:
        """Add a moment every second, until the greenlet is killed."""
        while True:
            due = self._begun + EVERY_SECONDS * (len(self.moments) + 1)
            sleep(max(0.0, due - time.time()))
            self.add(time.time())

    def add(self, now: float) -> None:
        """Add a moment about the last WINDOW seconds, or as many as there were."""
        (first, before), totals = self._before[0], self._totals()
        self._before.append((now, totals))
        passed = totals.since(before)
        seconds = max(now - first, 1e-3)
        self.moments.append(
            {
                "second": round(now - self._begun, 2),
                "users": self._users(),
                "requests_per_second": (passed.requests - passed.failures) / seconds,
                "failures_per_second": passed.failures / seconds,
                "median": passed.percentile(0.5),
                "p95": passed.percentile(0.95),
            }
        )

    def progress(self) -> str:
        """Return the last moment as a line for the terminal; "" before the first one."""
        if not self.moments:
            return ""
        now = self.moments[-1]
        times = "" if now["p95"] is None else f", p95 {now['p95']} ms"
        failed = now["failures_per_second"]
        return (
            f"{now['second']:4.0f} s: {now['users']} users, {now['requests_per_second']:.1f} "
            f"requests/s{times}" + (f", {failed:.1f} failures/s" if failed else "")
        )
