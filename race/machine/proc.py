"""Processes and cores as the kernel shows them under /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class CoreTime:
    """Ticks of one core since boot; busy leaves out interrupts, which no process is charged for."""

    busy: int
    steal: int
    idle: int
    total: int


def tree(pid: int | None) -> list[int]:
    """A process and all its living descendants; empty when it is gone."""
    found: list[int] = []
    waiting = [] if pid is None else [pid]
    while waiting:
        current = waiting.pop()
        try:
            tasks = os.listdir(f"/proc/{current}/task")
        except OSError:  # ended between two looks
            continue
        found.append(current)
        for task in tasks:
            waiting.extend(int(child) for child in read(current, f"task/{task}/children").split())
    return found


def cpu_ns(pid: int) -> int:
    """CPU nanoseconds of all threads of a process, ended ones included, and of its waited children.

    The process clock (clock_getcpuclockid(3): the id of a process is ~pid << 3 | 2) sums what
    /proc/PID/task/*/schedstat shows, and also keeps the threads that ended. Readable for a zombie.
    """
    try:
        own = time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return 0
    fields = read(pid, "stat").rpartition(")")[2].split()
    reaped = int(fields[13]) + int(fields[14]) if len(fields) > 14 else 0
    return own + reaped * TICK_NS


def core_times(cores: Iterable[int]) -> dict[int, CoreTime]:
    """Ticks of some cores, from /proc/stat (proc(5): user nice system idle iowait irq softirq)."""
    wanted = {f"cpu{core}": core for core in cores}
    times: dict[int, CoreTime] = {}
    for line in Path("/proc/stat").read_text().splitlines():
        name, _, rest = line.partition(" ")
        if name in wanted:
            user, nice, system, idle, iowait, irq, softirq, steal = map(int, rest.split()[:8])
            busy = user + nice + system
            waiting = idle + iowait
            total = busy + waiting + irq + softirq + steal
            times[wanted[name]] = CoreTime(busy, steal, waiting, total)
    return times


def core_time_between(before: dict[int, CoreTime], after: dict[int, CoreTime]) -> CoreTime:
    """Sum over cores of what passed between two readings."""
    return CoreTime(
        sum(after[core].busy - before[core].busy for core in before),
        sum(after[core].steal - before[core].steal for core in before),
        sum(after[core].idle - before[core].idle for core in before),
        max(1, sum(after[core].total - before[core].total for core in before)),
    )


def foreign_fraction(passed: CoreTime, ours_ns: float) -> float:
    """Share of the cores' time that neither idled nor was used by us."""
    return min(1.0, max(0.0, (passed.busy - ours_ns / TICK_NS) / passed.total))


def read(pid: int, name: str) -> str:
    """A file of a process; empty when the process ended, or is not ours to read."""
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except OSError:
        return ""
