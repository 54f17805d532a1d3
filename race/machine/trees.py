"""Reads process trees for the meters, and pins them. It also runs on other machines, as
`race.machine.proc` does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from race.machine.proc import cpu_ns, read, tree

RESET = "5"
"""Written to clear_refs (proc(5)), it resets the peak of a process to its memory of now."""


def used_ns(pid: int) -> int:
    """Return the CPU nanoseconds of a process tree, with those of children that were waited for."""
    return sum(map(cpu_ns, tree(pid)))


def clock_pairs(pid: int) -> list[list[int]]:
    """Return each process of a tree with its CPU nanoseconds."""
    return [[one, cpu_ns(one)] for one in tree(pid)]


def resident_bytes(pid: int) -> int:
    """Return the proportional set size of a process tree."""
    total = 0
    for member in tree(pid):
        for line in read(member, "smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def peak_bytes(pid: int) -> int | None:
    """Return the sum of the peaks of a process tree since the last reading, and reset them; None if
    the kernel does not allow that.
    """
    pids = tree(pid)
    most = sum(map(_peak, pids))
    resets = [_reset(one) for one in pids]
    return most if all(resets) else None


def switches(pid: int) -> dict[str, int]:
    """Return the context switches of the living threads of a process tree."""
    found = {"voluntary": 0, "involuntary": 0}
    for member in tree(pid):
        for kind, number in _switches(member).items():
            found[kind] += number
    return found


READINGS: Mapping[str, Callable[[int], Any]] = {
    one.__name__: one for one in (used_ns, clock_pairs, resident_bytes, peak_bytes, switches)
}


def pin_tree(pids: Sequence[int], cores: Collection[int]) -> None:
    """Pin every thread of running processes. Without cores nothing is pinned."""
    for thread in (thread for pid in pids for thread in _threads(pid)) if cores else ():
        with suppress(OSError):  # the thread ended meanwhile, or belongs to another user
            os.sched_setaffinity(thread, cores)


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def _peak(pid: int) -> int:
    """Return the peak of a process's resident set in bytes; 0 if it has ended."""
    for line in read(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _reset(pid: int) -> bool:
    """Reset the peak of a process; return whether that was possible."""
    try:
        with open(f"/proc/{pid}/clear_refs", "w") as file:  # noqa: PTH123 - see ``proc.read``
            file.write(RESET)
    except OSError:
        return False
    return True


def _switches(pid: int) -> dict[str, int]:
    found = {"voluntary": 0, "involuntary": 0}
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:  # ended meanwhile
        return found
    for task in tasks:
        for line in read(pid, f"task/{task}/status").splitlines():
            name, _, number = line.partition(":")
            if name == "voluntary_ctxt_switches":
                found["voluntary"] += int(number)
            elif name == "nonvoluntary_ctxt_switches":
                found["involuntary"] += int(number)
    return found
