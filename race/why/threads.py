"""The CPU time of a process tree by the names of its threads."""

from __future__ import annotations

import os
import re
from collections import Counter

from race.machine.proc import read, tree

Threads = dict[tuple[int, int], tuple[str, int]]
"""Name and CPU nanoseconds of each thread by process and thread."""


def now(pid: int | None) -> Threads:
    """Return the threads that live."""
    found: Threads = {}
    for member in tree(pid):
        for thread in _threads(member):
            spent = read(member, f"task/{thread}/schedstat").split()
            name = read(member, f"task/{thread}/comm").strip()
            if spent and name:
                # Threads of a pool differ in a number.
                found[member, thread] = (re.sub(r"[\d:#/_-]+$", "", name) or name, int(spent[0]))
    return found


def used(before: Threads, after: Threads) -> dict[str, int]:
    """Return the nanoseconds that threads used in between, by name."""
    found: Counter[str] = Counter()
    for thread, (name, spent) in after.items():
        found[name] += spent - before.get(thread, (name, 0))[1]
    return {name: spent for name, spent in found.items() if spent > 0}


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:  # ended meanwhile
        return []
