"""What one driver and the interpreter allow at most: one request for each page, or none at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from race.discipline import Party, Sample
from race.errors import CellFailed
from race.machine import cores
from race.machine.cores import Layout
from race.machine.describe import PYTHON, own_interpreter
from race.machine.proc import cpu_ns, tree
from race.machine.process import Child, wait_first
from race.saved.model import Contender, Figures, Work
from race.timeouts import TIMEOUTS
from race.web.databases import Databases
from race.web.load.drive import drive
from race.web.load.generator import Target
from race.web.servers import SERVING, why_not_serving
from runtime.paths import ROOT
from toolbench.drivers import DRIVERS, LOOP
from toolbench.limits.page import verify
from toolbench.shared import DATABASE, DRIVER, GENERATOR, Shared

FOLDER = ROOT / "toolbench" / "limits"
OBJECTS = "objects"
NAME = "tarantool"


@dataclass
class OneRequest:
    """`race.discipline.Subject`. The server is started for the first operation that needs it."""

    contender: Contender
    databases: Databases
    layout: Layout
    _server: Child | None = None
    _url: str = ""

    def parties(self) -> Mapping[str, Party]:
        """The driver runs in the server, or in a process of its own while objects are built."""
        pid = None if self._server is None else self._server.pid
        return {
            DRIVER: Party(pid, self.layout[DRIVER]),
            GENERATOR: Party(None, self.layout[GENERATOR]),
            DATABASE: Party(self.databases.pid(NAME), self.layout[DATABASE]),
        }

    def alive(self) -> bool:
        """Whether the server runs, where there is one."""
        return self._server is None or self._server.running()

    def wake(self) -> None:
        """The server onto its cores, where there is one."""
        if self._server is not None:
            cores.pin_tree(tree(self._server.pid), self.layout[DRIVER])

    def rest(self) -> None:
        """The server off the measured cores."""
        if self._server is not None:
            cores.pin_tree(tree(self._server.pid), cores.resting(self.layout))

    def check(self, task: str) -> None:
        """The page answers `ok`."""
        if task != OBJECTS:
            self._serve()
            verify(self._url, task)

    def drive(self, work: Work) -> Sample:
        """One load on a page, or objects built for as long."""
        if work.task == OBJECTS or self._server is None:
            return self._build(work.load.duration_s)
        target = Target(self._url, work.task, f"/{work.task}")
        return drive(target, work.load, self._server, self.layout[GENERATOR]).sample

    def facts(self, task: str) -> Figures:
        """A page is one request."""
        return {} if task == OBJECTS else {"database_requests": 1}

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.end()

    def _serve(self) -> None:
        if self._server is not None:
            return
        factors = self.contender.factors
        words = [self._python(), str(FOLDER / "serve.py"), "--loop", factors[LOOP]]
        words += DRIVERS[self.contender.name].options
        child = Child(words, self.layout[DRIVER], cwd=ROOT, talks=True)
        try:
            line = child.read_line(TIMEOUTS.server_start)
            match = SERVING.fullmatch(line or "")
            if match is None:
                raise CellFailed(why_not_serving(child, line))
        except BaseException:
            child.end()
            raise
        self._server, self._url = child, match[2]

    def _build(self, seconds: float) -> Sample:
        words = [self._python(), str(FOLDER / "objects.py"), "--seconds", str(seconds)]
        child = Child(words, self.layout[DRIVER])
        try:
            if wait_first([child], seconds + TIMEOUTS.generator_end) is None:
                raise CellFailed(
                    f"objects.py did not end {TIMEOUTS.generator_end:.0f} s after its time"
                )
            spent = cpu_ns(child.pid)
            if child.exit().code != 0:
                raise CellFailed(f"objects.py {child.last_words()}")
            found = json.loads(child.output())
        except (ValueError, KeyError) as error:
            raise CellFailed(f"objects.py gave no result: {error}") from None
        finally:
            child.end()
        used = {DRIVER: spent, GENERATOR: 0}  # nothing has to drive it
        return Sample(int(found["objects"]), float(found["seconds"]), cpu_ns=used)

    def _python(self) -> str:
        return str(own_interpreter(self.contender.factors[PYTHON]) or sys.executable)


def start(contender: Contender, shared: Shared, layout: Layout) -> OneRequest:
    """A contender; its server starts when it is needed."""
    return OneRequest(contender, shared.databases, layout)
