"""What is to be done, in which order: the same for everyone, on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence

NAME = "toolbench-sqlalchemy-{}"
"""What the database calls the connections of a process, by its id."""
"""Of the connections, in the database's own view of them."""
SCHEMA = "toolbench"
"""Where the tables are."""

SEED = 20220211
PER_SECOND = 350
"""Operations for each second that a load is planned for: 35,000 for 100 s."""
LEAST = 2
LARGEST = 100_000

Work = Sequence[int | None]
"""None is a read, a number a write that has it in its rows."""

SIZES = (2, 1, 2)
"""A write inserts so many parents, with so many children each."""
WRITTEN = len(SIZES) + sum(SIZES)
READ = 10
"""Parents that a read loads, with all of their children."""

EXAMPLE = 41
EXAMPLE_ROWS = [["42", 2], ["43", 1], ["44", 2]]
"""What a read finds after a write of EXAMPLE into empty tables: a text of each parent, and how many
children it has.
"""


def number(seconds: float) -> int:
    """Operations of a load that is planned for so many seconds."""
    return max(LEAST, round(PER_SECOND * seconds))


def workload(operations: int) -> Work:
    """Half of them writes, shuffled."""
    dice = random.Random(SEED)  # noqa: S311 - the same every time is the point
    work = [dice.randint(1, LARGEST) if place % 2 else None for place in range(operations)]
    dice.shuffle(work)
    return work


def left(operations: int) -> tuple[int, int]:
    """Parents and children that are in the tables afterwards."""
    writes = operations // 2
    return writes * len(SIZES), writes * sum(SIZES)
