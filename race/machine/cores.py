"""Assigns cores to the parties of a cell, to each its own where there are enough."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from race.machine.proc import in_order
from race.saved.model import Sharing
from runtime.arguments import MOST_WORKERS

Layout = dict[str, frozenset[int]]
"""Cores by party, the one under test first; empty sets mean that nothing is pinned."""

WORKERS = "workers"
"""The factor with the number of processes of the party under test; one if it is missing."""

EACH_UP_TO = 8
"""Up to so many workers, each number is measured; beyond, two numbers for each doubling."""

# The cores that this program was started with. `kept_off` later moves it off the measured ones.
GIVEN = frozenset(os.sched_getaffinity(0))


def allowed() -> list[int]:
    """Return the cores that this program may use, one thread of every physical core first."""
    return in_order(GIVEN)


def assign(
    parties: Sequence[str],
    workers: int = 1,
    cores: list[int] | None = None,
    sharing: Sharing = "own",
) -> Layout:
    """Assign as many cores as workers to the first party, then one to each of the others.

    The others share the last core if there are too few. With a single core nothing is pinned, since
    every layout would be the same.
    """
    cores = allowed() if cores is None else cores
    if len(cores) < 2 or sharing == "any" or not parties:
        return {name: frozenset() for name in parties}
    if sharing == "one":
        return {name: frozenset(cores[:1]) for name in parties}
    first, *others = parties
    layout = {first: frozenset(cores[:workers])}
    for place, name in enumerate(others, start=workers):
        layout[name] = frozenset([cores[min(place, len(cores) - 1)]])
    return layout


def worker_counts(cores: int | None = None) -> list[int]:
    """Return the numbers of workers that show how a server grows to all cores: 1, 2, ... 8, 12, 16,
    24, 32, ... and the number of cores.
    """
    most = min(len(GIVEN) if cores is None else cores, MOST_WORKERS)
    doublings = (EACH_UP_TO << power for power in range(most.bit_length()))
    more = [number for one in doublings for number in (one, one + one // 2)]
    return sorted({number for number in (*range(1, EACH_UP_TO), *more, most) if number <= most})


def resting(layout: Layout) -> frozenset[int]:
    """Return the cores of paused contenders: those that no party uses, else those of the parties
    that are not under test. Empty if nothing is pinned.
    """
    first = next(iter(layout.values()), frozenset[int]())
    taken = frozenset[int]().union(*layout.values())
    return (GIVEN - taken or taken - first) if first else frozenset()


@contextmanager
def kept_off(layout: Layout) -> Iterator[None]:
    """Keep this process off the first party's cores, and off the second's if any are left."""
    before = os.sched_getaffinity(0)
    taken = list(layout.values())[:2] or [frozenset[int]()]
    off_first = before - taken[0]
    mine = (off_first - taken[1] if len(taken) > 1 else off_first) or off_first
    if taken[0] and mine:
        os.sched_setaffinity(0, mine)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
