"""Which core runs what: server, generator and database told apart where there are enough cores."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cores:
    """Core numbers for each party; empty sets mean that nothing is pinned."""

    server: frozenset[int]
    generator: frozenset[int]
    database: frozenset[int]

    @property
    def used(self) -> frozenset[int]:
        """All cores that the race measures on; every allowed core when nothing is pinned."""
        return (self.server | self.generator | self.database) or frozenset(allowed())

    @property
    def pinned(self) -> bool:
        """Whether server and generator have cores of their own."""
        return bool(self.server)

    @property
    def generator_shares(self) -> bool:
        """Whether generator and database share a core."""
        return not self.pinned or bool(self.generator & self.database)

    def describe(self) -> dict[str, list[int]]:
        """Core numbers by party, for the saved environment."""
        return {
            "server": sorted(self.server),
            "generator": sorted(self.generator),
            "database": sorted(self.database),
        }


def allowed() -> list[int]:
    """Cores this process may use, one thread of every physical core first."""
    cores = sorted(os.sched_getaffinity(0))
    seen: set[str] = set()
    first: list[int] = []
    second: list[int] = []
    for core in cores:
        physical = _physical(core)
        (second if physical in seen else first).append(core)
        seen.add(physical)
    return first + second


def _physical(core: int) -> str:
    """The threads that share a physical core, as the kernel names them."""
    path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    try:
        return path.read_text().strip()
    except OSError:
        return str(core)


def assign(cores: list[int] | None = None) -> Cores:
    """Server alone on the first core; generator and database share the second or have their own.

    One core: nothing is pinned, since every layout would be the same.
    """
    cores = allowed() if cores is None else cores
    if len(cores) < 2:
        return Cores(frozenset(), frozenset(), frozenset())
    database = cores[2] if len(cores) > 2 else cores[1]
    return Cores(frozenset(cores[:1]), frozenset(cores[1:2]), frozenset([database]))


def pin_tree(pids: list[int], cores: frozenset[int]) -> dict[int, frozenset[int]]:
    """Pin every thread of running processes; returns what they had, by thread id."""
    before: dict[int, frozenset[int]] = {}
    for thread in (thread for pid in pids for thread in _threads(pid)):
        try:
            before[thread] = frozenset(os.sched_getaffinity(thread))
            os.sched_setaffinity(thread, cores)
        except OSError:  # the thread ended meanwhile, or belongs to another user
            before.pop(thread, None)
    return before


def restore(before: dict[int, frozenset[int]]) -> None:
    """Undo `pin_tree` for the threads that still run."""
    for thread, cores in before.items():
        try:
            os.sched_setaffinity(thread, cores)
        except OSError:  # ended meanwhile
            continue


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []
