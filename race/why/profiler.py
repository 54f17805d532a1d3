"""py-spy: which Python functions a process tree is in, seen from outside many times a second.

It stops the process for each look (without that, stacks may be torn), at irregular times, so that
it falls into step with nothing (its issue 94). A function's share of the looks is its share of the
time that threads ran.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from race.machine.process import Child, wait_first
from race.timeouts import TIMEOUTS

HERTZ = 200
NAME = "py-spy"
MOST_SECONDS = 600
"""The profiler ends by itself after so long, whatever happens to us."""
READY = "Sampling process"
LATE = "behind in sampling"
ERRORS = re.compile(r"Errors: (\d+)")
FRAME = re.compile(r"(?!process \d+:).+ \([^()]+\)")
REFUSED = ("permission denied", "operation not permitted", "elevated")
NO_PYTHON = ("no python processes", "find python version", "python interpreter")


class CannotLook(Exception):
    """Functions cannot be seen here; the text says why, and what to do."""


class Looks(NamedTuple):
    """How often each stack was seen, how many looks failed, and whether looks came late."""

    stacks: dict[str, int]
    errors: int
    late: bool


def program() -> str | None:
    """Return py-spy of this environment, or of PATH."""
    own = Path(sys.executable).with_name(NAME)
    return str(own) if own.exists() else shutil.which(NAME)


def missing() -> str | None:
    """Return why functions cannot be seen, and what to do; None if they can."""
    return None if program() else "py-spy is not installed: pip install py-spy, or make env"


class Profiler:
    """A running profiler; `looks` ends it."""

    def __init__(self, child: Child, output: Path) -> None:
        self._child, self._output = child, output

    def looks(self) -> Looks:
        """End it and return what it has seen. CannotLook if it fails."""
        self._child.interrupt()
        if wait_first([self._child], TIMEOUTS.generator_end) is None:
            raise CannotLook(f"{NAME} did not end")
        said = self._rest()
        if self._child.exit().code != 0 or not self._output.exists():
            raise CannotLook(f"{NAME} {self._child.last_words()}")
        errors = ERRORS.search(said)
        return Looks(
            stacks(self._output.read_text(errors="replace")),
            int(errors[1]) if errors else 0,
            LATE in said,
        )

    def _rest(self) -> str:
        """Return what it wrote after it was ready."""
        lines = []
        while (line := self._child.read_line(TIMEOUTS.program)) is not None:
            lines.append(line)
        return "\n".join(lines)


@contextmanager
def looking(pid: int, cores: frozenset[int]) -> Iterator[Profiler]:
    """Look at a process and all below it, from some cores, for the length of a `with`.

    CannotLook if there is nothing to see, or if it may not look.
    """
    with TemporaryDirectory(prefix="race-") as folder:
        output = Path(folder) / "stacks"
        words = [program() or NAME, "record", "--pid", str(pid), "--subprocesses", "--nolineno"]
        words += ["--rate", str(HERTZ), "--duration", str(MOST_SECONDS)]
        child = Child([*words, "--format", "raw", "--output", str(output)], cores, pipe_output=True)
        try:
            _wait(child)
            yield Profiler(child, output)
        finally:
            child.end()


def _wait(child: Child) -> None:
    """Wait until it looks."""
    while (line := child.read_line(TIMEOUTS.server_start)) is not None:
        if READY in line:
            return
    said = " ".join(child.log(20)).strip()
    if any(one in said.lower() for one in REFUSED):
        raise CannotLook(
            f"{NAME} may not look into the server: run as root, in a container with SYS_PTRACE, or "
            "set kernel.yama.ptrace_scope to 0"
        )
    if any(one in said.lower() for one in NO_PYTHON):
        raise CannotLook(f"{NAME} finds no Python in one of them")
    raise CannotLook(f"{NAME} is not ready: {said or 'without a word'}")


def stacks(text: str) -> dict[str, int]:
    """Return how often each stack is in py-spy's raw form, without the frames of processes."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        frames, _, count = line.rpartition(" ")
        kept = [one for one in map(str.strip, frames.split(";")) if FRAME.fullmatch(one)]
        if kept and count.isdecimal():
            stack = ";".join(kept)
            found[stack] = found.get(stack, 0) + int(count)
    return found
