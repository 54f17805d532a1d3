"""What came of the operations of a load, as the one who did them noted it."""

from __future__ import annotations

import time
from collections import Counter

from toolbench.runner.timed import in_a_line

clock = time.monotonic_ns
"""Of the machine: the same in all of its processes."""

BUCKET_NS = 50_000_000


class Log:
    """`took` are nanoseconds of the operations that went well, `ends` when each of them did; `rows`
    are those that were loaded or written, each an instance.
    """

    def __init__(self) -> None:
        self.took: list[int] = []
        self.ends: list[int] = []
        self.errors: Counter[str] = Counter()
        self.rows = 0
        self.begun = clock()
        self.over = self.begun

    def done(self, begun: int, rows: int) -> None:
        """An operation that began then went well, with so many rows."""
        now = clock()
        self.took.append(now - begun)
        self.ends.append(now)
        self.rows += rows

    def failed(self, error: Exception) -> None:
        """One did not."""
        self.errors[in_a_line(error)] += 1

    def end(self) -> None:
        """All are over."""
        self.over = clock()

    def timeline(self) -> list[int]:
        """How many went well in each BUCKET_NS from the begin on."""
        found = Counter((end - self.begun) // BUCKET_NS for end in self.ends)
        return [found[place] for place in range(max(found, default=-1) + 1)]
