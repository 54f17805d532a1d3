"""One server process: started fresh for a block, ready when it says so, stopped by its own id."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from race.errors import CellFailed
from race.machine.process import Child, wait_first
from race.paths import SERVER
from race.plan.scenario import Program
from race.saved.model import Contender
from race.web.engines import current
from runtime.paths import ROOT

START_SECONDS = 30.0
# Between the end of its output and its own.
LAST_BREATH_SECONDS = 1.0
SERVING = re.compile(r"serving (\S+) on (http://\S+) \(\w+ ([\w.+]+), pid \d+\)")


@dataclass
class Server:
    """A server that accepts connections: its process, base URL and interpreter version."""

    child: Child
    url: str
    python: str

    def check(self) -> None:
        """CellFailed when it no longer runs, with the reason it gave."""
        if not self.child.running():
            raise CellFailed(died(self.child))


def start(
    contender: Contender,
    program: Program | None,
    cores: frozenset[int],
    port: int = 0,
    env: Mapping[str, str] | None = None,
) -> Server:
    """Start a contender and wait for its `serving ...` line; CellFailed when it does not come.

    `port` 0 is a free one; `env` is added to the environment.
    """
    child = Child(command(contender, program, port), cores, env, cwd=ROOT, talks=True)
    try:
        line = child.read_line(START_SECONDS)
        match = SERVING.fullmatch(line or "")
        if match is None:
            raise CellFailed(_why_not_serving(child, line))
        return Server(child, match[2], match[3])
    except BaseException:
        child.end()
        raise


def command(contender: Contender, program: Program | None, port: int) -> list[str]:
    """The command line that serves a contender on a port (0: a free one)."""
    own = own_interpreter(contender.python)
    if program is not None:
        filled = {"root": str(ROOT), "python": str(own or sys.executable)}
        return [word.format(**filled) for word in program.command] + ["-p", str(port)]
    words = [sys.executable, str(SERVER), "-e", contender.engine, "-p", str(port)]
    return words if own is None else [*words, "--python", _short(contender.python)]


def own_interpreter(version: str) -> Path | None:
    """The project's environment for a version (`.venv-X.Y`); None stands for the current one."""
    path = ROOT / f".venv-{_short(version)}" / "bin" / "python"
    return path if path.exists() and _short(version) != current() else None


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def died(child: Child) -> str:
    """How a server that should run has ended, with its last words."""
    last = child.complaint()
    return f"server {child.exit_text()}" + (f" ({last})" if last else "")


def _why_not_serving(child: Child, line: str | None) -> str:
    if line is not None:
        return f"server said {line!r} instead of its address"
    if wait_first([child], LAST_BREATH_SECONDS) is None:
        return f"server was not ready within {START_SECONDS:.0f} s"
    return died(child)
