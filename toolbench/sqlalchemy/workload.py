"""The workload: the same operations in the same order for every strategy, on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence

NAME = "toolbench-sqlalchemy-{}"
"""The application name of a process's connections, by its id."""
SCHEMA = "toolbench"
"""The schema of the tables."""

SEED = 20220211
PER_SECOND = 350
"""Operations for each second that a load is planned for: 35,000 for 100 s."""
LEAST = 2
LARGEST = 100_000

Workload = Sequence[int | None]
"""Operations: None is a read, a number is a write that has the number in its rows."""

SIZES = (2, 1, 2)
"""A write inserts three parents, with so many children each."""
WRITTEN = len(SIZES) + sum(SIZES)
READ = 10
"""A read loads so many parents with all of their children."""

EXAMPLE = 41
EXAMPLE_ROWS = [["42", 2], ["43", 1], ["44", 2]]
"""The answer to a read after a write of EXAMPLE into empty tables: each parent's text, and the
number of its children.
"""


def number(seconds: float) -> int:
    """Return how many operations a load has that is planned for so many seconds."""
    return max(LEAST, round(PER_SECOND * seconds))


def workload(operations: int) -> Workload:
    """Return the operations, half of them writes, in random order."""
    source = random.Random(SEED)  # noqa: S311 - the order must be the same every time
    work = [source.randint(1, LARGEST) if place % 2 else None for place in range(operations)]
    source.shuffle(work)
    return work


def drawn(operations: int) -> Workload:
    """Return operations of which a coin says what is a write: others each time."""
    source = random.Random()  # noqa: S311 - it decides nothing but an order
    coins = (source.getrandbits(1) for _ in range(operations))
    return [source.randint(1, LARGEST) if coin else None for coin in coins]


def writes(work: Workload) -> int:
    """Return how many of the operations are writes."""
    return sum(one is not None for one in work)


def left(writes: int) -> tuple[int, int]:
    """Return how many parents and children the tables have after so many writes."""
    return writes * len(SIZES), writes * sum(SIZES)
