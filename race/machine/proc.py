"""Reads processes and cores from /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import NamedTuple

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class CoreTime(NamedTuple):
    """Ticks of one core since boot; `interrupts` are those that no process is charged for."""

    idle: int
    steal: int
    interrupts: int


class CoreReading(NamedTuple):
    """The time of some cores since boot, and the clock when they were read."""

    clock_ns: int
    cores: dict[int, CoreTime]


class CorePassed(NamedTuple):
    """Nanoseconds of some cores between two readings, added up; `whole` is all that passed."""

    whole: float
    idle: float
    steal: float
    interrupts: float

    @property
    def busy(self) -> float:
        """Return the time that was used, by any process."""
        return self.whole - self.idle - self.steal

    def foreign(self, ours_ns: float) -> float:
        """Return the share of the time that is neither idle nor steal nor ours.

        It is a small difference of clocks: when no other process ran it is around zero, and as
        often below as above.
        """
        return (self.busy - self.interrupts - ours_ns) / self.whole


def tree(pid: int | None) -> list[int]:
    """Return a process and all its living descendants; empty when it is gone."""
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
    """Return the CPU nanoseconds of a process: all its threads and the children it has waited for.

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


def read_cores(cores: Iterable[int]) -> CoreReading:
    """Read /proc/stat (proc(5): user nice system idle iowait irq softirq steal).

    Only idle time and steal are taken from it, because the kernel measures them (NO_HZ). User,
    nice, system and softirq are sampled at ticks and add up to 1 to 4 % less than the time
    that passed; busy time is therefore the clock minus idle time. On most kernels the time of
    interrupts counts for the process that they interrupt. Kernels that account it separately
    (CONFIG_IRQ_TIME_ACCOUNTING) show an irq above zero.
    """
    wanted = {f"cpu{core}": core for core in cores}
    times: dict[int, CoreTime] = {}
    with open("/proc/stat") as lines:  # noqa: PTH123 - read on a core that measures
        clock = time.monotonic_ns()
        for line in lines:
            name, _, rest = line.partition(" ")
            if name in wanted:
                _, _, _, idle, iowait, irq, softirq, steal = map(int, rest.split()[:8])
                apart = irq + softirq if irq else 0
                times[wanted[name]] = CoreTime(idle + iowait, steal, apart)
    return CoreReading(clock, times)


def passed_between(before: CoreReading, after: CoreReading, cores: Iterable[int]) -> CorePassed:
    """Return the time of some cores between two readings."""
    pairs = [(before.cores[core], after.cores[core]) for core in cores]
    idle, steal, interrupts = (
        sum(new[part] - old[part] for old, new in pairs) * TICK_NS for part in range(3)
    )
    whole = max(1, (after.clock_ns - before.clock_ns) * len(pairs))
    return CorePassed(whole, idle, steal, interrupts)


def read(pid: int, name: str) -> str:
    """Return a file of a process, or "" if it has ended or we may not read it."""
    try:
        with open(f"/proc/{pid}/{name}") as file:  # noqa: PTH123 - read on a core that measures
            return file.read()
    except OSError:
        return ""
