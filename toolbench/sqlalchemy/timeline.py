"""Connections over time, as the database itself sees them, and what was done meanwhile."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import psycopg

from race.saved.model import Moment
from toolbench.sqlalchemy.log import BUCKET_NS
from toolbench.sqlalchemy.workload import NAME

SEEN = """
    SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
    WHERE application_name = %s"""
LOOK_SECONDS = (0.05, 1.0)
"""Between two looks: the least, the most."""
LOOKS = 60
"""In a load that takes as long as it is planned for."""
PATIENCE_SECONDS = 10.0
"""A look that the database does not answer is left behind."""
WINDOW_SECONDS = 0.2
"""What is done is told of so long at least."""


class Look(NamedTuple):
    """`at` a moment of the clock of `log`; connections that are open, and not idle."""

    at: int
    open: int
    active: int


@contextlib.contextmanager
def looking(url: str, pid: int, planned: float) -> Iterator[list[Look]]:
    """Look at the connections of a process while the block lasts, by a thread of its own; no looks
    where the database has gone.
    """
    looks: list[Look] = []
    over = threading.Event()
    thread = threading.Thread(
        target=_look, args=(url, pid, pause(planned), looks, over), daemon=True
    )
    thread.start()
    try:
        yield looks
    finally:
        over.set()
        thread.join(PATIENCE_SECONDS)


def pause(planned: float) -> float:
    """Seconds between two looks at a load that is planned for so many."""
    least, most = LOOK_SECONDS
    return min(most, max(least, planned / LOOKS))


def _look(url: str, pid: int, seconds: float, looks: list[Look], over: threading.Event) -> None:
    with (
        contextlib.suppress(psycopg.Error),
        psycopg.connect(url, autocommit=True, connect_timeout=int(PATIENCE_SECONDS)) as connection,
    ):
        while not over.is_set():
            row = connection.execute(SEEN, (NAME.format(pid),)).fetchone()
            if row is not None:
                looks.append(Look(time.monotonic_ns(), *row))
            over.wait(seconds)


def timeline(
    looks: Sequence[Look], begun: int, seconds: float, done: Sequence[int]
) -> list[Moment]:
    """A moment for each look at a load that began then and took so long; `done` are the operations
    in each BUCKET_NS of it.
    """
    ends = begun + round(seconds * 1e9)
    inside = [look for look in looks if begun <= look.at <= ends]
    return [
        Moment(
            at=(look.at - begun) / 1e9,
            throughput=_rate(done, look.at - begun),
            connections=look.open,
            active=look.active,
        )
        for look in inside
    ]


def _rate(done: Sequence[int], at: int) -> float:
    """Operations/s of the last WINDOW_SECONDS before; of all there is, early on."""
    whole = at // BUCKET_NS
    first = max(0, whole - round(WINDOW_SECONDS * 1e9) // BUCKET_NS)
    passed = (whole - first) * BUCKET_NS / 1e9
    return sum(done[first:whole]) / passed if passed else 0.0
