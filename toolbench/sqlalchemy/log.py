"""The results of a load's operations, noted while they end."""

from __future__ import annotations

import time
from collections import Counter

from toolbench.runner.workers import in_a_line

clock = time.monotonic_ns
"""The machine's clock: it is the same in the harness's process."""

BUCKET_NS = 50_000_000


class Log:
    """`took` are nanoseconds of the operations that succeeded, `ends` when each of them ended.

    `rows` counts the rows that they loaded or wrote.
    """

    def __init__(self) -> None:
        self.took: list[int] = []
        self.ends: list[int] = []
        self.errors: Counter[str] = Counter()
        self.rows = 0
        self.begun = clock()

    def done(self, begun: int, rows: int) -> None:
        """Note an operation that succeeded just now."""
        now = clock()
        self.took.append(now - begun)
        self.ends.append(now)
        self.rows += rows

    def failed(self, error: Exception) -> None:
        """Note an operation that failed."""
        self.errors[in_a_line(error)] += 1

    def timeline(self) -> list[int]:
        """Return how many operations succeeded in each BUCKET_NS."""
        found = Counter((end - self.begun) // BUCKET_NS for end in self.ends)
        return [found[place] for place in range(max(found, default=-1) + 1)]
