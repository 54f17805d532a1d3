"""Starts a server process and waits until it serves."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from race.errors import CellFailed
from race.machine.cores import WORKERS
from race.machine.describe import BUILD, PYTHON, current_python, own_interpreter
from race.machine.process import Child, wait_first
from race.machine.remote.host import RemoteChild
from race.saved.model import Contender
from race.timeouts import TIMEOUTS
from race.web.engines import RENDER, SERVER, plain_render
from race.web.hosts.checkout import ServerHost
from race.web.login import ENVIRONMENT
from race.web.scenario import Program, SiteScenario
from race.web.tasks import needs_login
from runtime.paths import ROOT

SERVING = re.compile(r"serving (\S+) on (http://\S+) \(\w+ ([\w.+]+), pid \d+\)")


@dataclass
class Server:
    """A server that accepts connections: its process, base URL and name."""

    child: Child | RemoteChild
    url: str
    name: str


@dataclass(frozen=True)
class Launcher:
    """Starts the servers of a scenario, at an address other than 127.0.0.1 if one is given, and on
    another machine if there is one for them.
    """

    scenario: SiteScenario
    address: str | None = None
    host: ServerHost | None = None

    def start(
        self,
        contender: Contender,
        cores: frozenset[int],
        env: Mapping[str, str] | None = None,
    ) -> Server:
        """Start a contender and wait for its `serving ...` line. CellFailed if it does not come.

        `env` is added to the environment. The port is a free one, as all contenders run at once.
        """
        managed = any(map(needs_login, self.scenario.tasks))
        added = {**(ENVIRONMENT if managed else {}), **(env or {})}
        words = self.command(contender)
        if self.host is None:
            return serving(Child(words, cores, added, cwd=ROOT, pipe_output=True))
        found = serving(self.host.start(words, cores, added))
        try:
            self.host.reached(found.url)
        except BaseException:
            found.child.end()
            raise
        return found

    def command(self, contender: Contender) -> list[str]:
        """Return the command line that serves a contender on a free port; on another machine, the
        options of server.py alone.
        """
        current = self.host.python if self.host else current_python()
        version = contender.factors.get(PYTHON, current)
        program = self.scenario.programs.get(contender.name)
        if program is not None:
            return _program(program, version)
        words = [] if self.host else [sys.executable, str(SERVER)]
        words += ["-e", contender.name, "-p", "0"]
        words += ["--host", self.address] if self.address else []
        render = contender.factors.get(RENDER)
        words += ["--render", render] if render and render != plain_render() else []
        deadline = self.scenario.deadline
        words += ["--deadline", f"{deadline:g}"] if deadline else []
        workers = contender.factors.get(WORKERS, "1")
        words += ["--workers", workers] if workers != "1" else []
        other = contender.factors.get(BUILD) or (version if version != current else None)
        return [*words, "--python", other] if other else words


def _program(program: Program, version: str) -> list[str]:
    filled = {"root": str(ROOT), "python": str(own_interpreter(version) or sys.executable)}
    return [word.format(**filled) for word in program.command] + ["-p", "0"]


def serving(child: Child | RemoteChild) -> Server:
    """Wait until a child serves. CellFailed, with the child ended, if it does not."""
    try:
        line = child.read_line(TIMEOUTS.server_start)
        match = SERVING.fullmatch(line or "")
        if match is None:
            raise CellFailed(why_not_serving(child, line))
        return Server(child, match[2], match[1])
    except BaseException:
        child.end()
        raise


def why_not_serving(child: Child | RemoteChild, line: str | None) -> str:
    """Return why the `serving ...` line of a server did not come; it may still be running."""
    if line is not None:
        return f"server said {line!r} instead of its address"
    if wait_first([child], TIMEOUTS.server_exit) is None:
        return f"server was not ready within {TIMEOUTS.server_start:.0f} s"
    return f"server {child.last_words()}"
