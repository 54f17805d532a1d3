"""The connections over the length of a load, as the database itself sees them."""

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
from toolbench.timeouts import TIMEOUTS

ACTIVITY = """
    SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
    WHERE application_name = %s"""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
"""Seconds between two observations."""
OBSERVATIONS = 60
"""Observations of a load that takes as long as it is planned for."""
WINDOW_SECONDS = 0.2
"""A rate is that of so many seconds."""


class Observation(NamedTuple):
    """The connections that are open, and those that are not idle, `at` a reading of `log.clock`."""

    at: int
    open: int
    active: int


@contextlib.contextmanager
def observing(url: str, pid: int, planned: float) -> Iterator[list[Observation]]:
    """Observe the connections of a process in a thread while the block runs.

    There are no more observations once the database is gone.
    """
    found: list[Observation] = []
    over = threading.Event()
    arguments = (url, pid, pause(planned), found, over)
    thread = threading.Thread(target=_observe, args=arguments, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join(TIMEOUTS.activity)


def pause(planned: float) -> float:
    """Return the seconds between two observations of a load that is planned for so long."""
    return min(LONGEST_PAUSE, max(SHORTEST_PAUSE, planned / OBSERVATIONS))


def _observe(
    url: str, pid: int, seconds: float, found: list[Observation], over: threading.Event
) -> None:
    timeout = round(TIMEOUTS.activity)
    with (
        contextlib.suppress(psycopg.Error),
        psycopg.connect(url, autocommit=True, connect_timeout=timeout) as connection,
    ):
        while not over.is_set():
            row = connection.execute(ACTIVITY, (NAME.format(pid),)).fetchone()
            if row is not None:
                found.append(Observation(time.monotonic_ns(), *row))
            over.wait(seconds)


def timeline(
    observations: Sequence[Observation], begun: int, seconds: float, done: Sequence[int]
) -> list[Moment]:
    """Return a moment for each observation of a load; `done` counts operations by BUCKET_NS."""
    ends = begun + round(seconds * 1e9)
    return [
        Moment(
            at=(one.at - begun) / 1e9,
            throughput=_rate(done, one.at - begun),
            connections=one.open,
            active=one.active,
        )
        for one in observations
        if begun <= one.at <= ends
    ]


def _rate(done: Sequence[int], at: int) -> float:
    """Return the operations/s of the WINDOW_SECONDS before; early on, since the begin."""
    whole = at // BUCKET_NS
    first = max(0, whole - round(WINDOW_SECONDS * 1e9) // BUCKET_NS)
    passed = (whole - first) * BUCKET_NS / 1e9
    return sum(done[first:whole]) / passed if passed else 0.0
