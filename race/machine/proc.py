"""Reads processes and cores from /proc, on CPython 3.9 or newer.

It imports the standard library alone: it also travels to other machines (`race.machine.remote`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Container, Iterable
from functools import cache
from typing import NamedTuple

FIRST_NAMESPACE = "pid:[4026531836]"
"""The kernel's name of the namespace that has all processes (PROC_PID_INIT_INO)."""
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

    def foreign(self, ours_ns: float, others_ns: float | None = None) -> float:
        """Return the share of the time that other processes took: what is neither idle nor steal
        nor ours, and at most `others_ns`, what they used on all cores (None if it is not known).

        Cores that sleep and wake 20,000 times a second, as under Go's scheduler, spend a tenth of
        their time on it, which is neither idle nor any process's; without that bound it would look
        like other programs. Without others the share is around zero, as often below as above.
        """
        left = self.busy - self.interrupts - ours_ns
        return (left if others_ns is None else min(left, others_ns)) / self.whole


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


class Clock(NamedTuple):
    """The CPU nanoseconds of a process: of all its threads, and of the children that it has waited
    for.
    """

    own: int
    reaped: int


def cpu_ns(pid: int) -> int:
    """Return the CPU nanoseconds of a process and of the children that it has waited for."""
    return sum(clock(pid))


def clock(pid: int) -> Clock:
    """Return the CPU time of a process; zeros if it has ended.

    The process clock (clock_getcpuclockid(3): the id of a process is ~pid << 3 | 2) sums what
    /proc/PID/task/*/schedstat shows, and also keeps the threads that ended. Readable for a zombie.
    """
    try:
        own = time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return Clock(0, 0)
    fields = read(pid, "stat").rpartition(")")[2].split()
    reaped = int(fields[13]) + int(fields[14]) if len(fields) > 14 else 0
    return Clock(own, reaped * TICK_NS)


Clocks = dict[int, Clock]
"""The CPU time of processes by their ids."""


def clocks(without: Container[int]) -> Clocks | None:
    """Return the CPU time of all processes but some; None where not all can be seen."""
    if not sees_all():
        return None
    pids = (int(name) for name in os.listdir("/proc") if name.isdecimal())
    return {pid: clock(pid) for pid in pids if pid not in without}


@cache
def sees_all() -> bool:
    """Return whether we see all processes: in no container, and with nothing hidden in /proc."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - nothing to import
    except OSError:
        return False
    return namespace == FIRST_NAMESPACE and read(1, "stat") != ""


def used_between(before: Clocks, after: Clocks) -> int:
    """Return the nanoseconds that processes used between two readings.

    One that began and ended in between is in its parent's `reaped`. So is one that was read before
    and has ended, with all its time, of which only the last part belongs here.
    """
    none = Clock(0, 0)
    own = sum(max(0, now.own - before.get(pid, none).own) for pid, now in after.items())
    reaped = sum(now.reaped - before.get(pid, none).reaped for pid, now in after.items())
    ended = sum(sum(then) for pid, then in before.items() if pid not in after)
    return own + max(0, reaped - ended)


def in_order(cores: Iterable[int]) -> list[int]:
    """Return cores in the order of their use, one thread of every physical core first."""
    seen: set[str] = set()
    first: list[int] = []
    second: list[int] = []
    for core in sorted(cores):
        physical = _physical(core)
        (second if physical in seen else first).append(core)
        seen.add(physical)
    return first + second


def _physical(core: int) -> str:
    """Return the threads that share a physical core, as the kernel names them."""
    path = f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"
    try:
        with open(path) as file:  # noqa: PTH123 - nothing to import
            return file.read().strip()
    except OSError:
        return str(core)


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
