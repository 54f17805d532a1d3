"""strace: how often a process tree makes each system call, counted from outside.

It stops the process at each call, so what is counted here is never timed.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from race.machine.proc import read, tree
from race.machine.process import Child, wait_first
from race.timeouts import TIMEOUTS

NAME = "strace"
LOOK_SECONDS = 0.01
ROW = re.compile(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)")
"""A row of the summary: share, seconds, microseconds a call, calls, errors or none, name."""
TOTAL = "total"
REFUSED = "not permitted"


class CannotCount(Exception):
    """System calls cannot be counted here; the text says why, and what to do."""


class Counter:
    """A running strace; `counts` ends it."""

    def __init__(self, child: Child, output: Path) -> None:
        self._child, self._output = child, output

    def counts(self) -> dict[str, int]:
        """End it and return the number of calls by name. CannotCount if it says none."""
        self._child.interrupt()
        if wait_first([self._child], TIMEOUTS.generator_end) is None:
            raise CannotCount(f"{NAME} did not end")
        if not self._output.exists():
            raise CannotCount(f"{NAME} {self._child.last_words()}")
        return summary(self._output.read_text(errors="replace"))


@contextmanager
def counting(pid: int, cores: frozenset[int]) -> Iterator[Counter]:
    """Count the calls of a process and all below it, from some cores, for the length of a `with`.

    CannotCount if there is no strace, or if it may not look.
    """
    if shutil.which(NAME) is None:
        raise CannotCount(f"{NAME} is not installed: apt-get install {NAME}")
    with TemporaryDirectory(prefix="race-") as folder:
        output, members = Path(folder) / "summary", tree(pid)
        words = [NAME, "-c", "-f", "-qq", "-o", str(output)]
        words += [word for member in members for word in ("-p", str(member))]
        child = Child(words, cores)
        try:
            _wait(child, members)
            yield Counter(child, output)
        finally:
            child.end()


def _wait(child: Child, members: list[int]) -> None:
    """Wait until it holds every thread that there is."""
    deadline = time.monotonic() + TIMEOUTS.server_start
    while not all(_held(member, child.pid) for member in members):
        if not child.running() or time.monotonic() > deadline:
            said = child.complaint() or "without a word"
            if REFUSED in said:
                said += "; run as root, in a container with SYS_PTRACE, or set "
                said += "kernel.yama.ptrace_scope to 0"
            raise CannotCount(f"{NAME} may not look into the server: {said}")
        time.sleep(LOOK_SECONDS)


def _held(pid: int, tracer: int) -> bool:
    """Return whether a tracer holds a process, or the process has ended."""
    status = read(pid, "status")
    return not status or f"\nTracerPid:\t{tracer}\n" in status


def summary(text: str) -> dict[str, int]:
    """Return the calls by name in a summary of strace."""
    rows = filter(None, map(ROW.fullmatch, text.splitlines()))
    return {row[2]: int(row[1]) for row in rows if row[2] != TOTAL}
