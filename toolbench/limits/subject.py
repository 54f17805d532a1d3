"""The limits as contenders: a server whose pages are one request each, or building objects."""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from race.discipline import Party, Sample
from race.errors import CellFailed
from race.load.drive import drive
from race.load.generator import Target
from race.machine import cores
from race.machine.cores import Layout
from race.machine.describe import PYTHON, own_interpreter
from race.machine.proc import cpu_ns, tree
from race.machine.process import Child, wait_first
from race.machine.trees import pin_tree
from race.saved.model import Contender, Figures, Work
from race.timeouts import TIMEOUTS as RACE_TIMEOUTS
from race.web.databases import Databases
from race.web.servers import Server, serving
from runtime.paths import ROOT
from toolbench.drivers import DRIVERS
from toolbench.shared import DATABASE, DRIVER, GENERATOR, Shared
from toolbench.timeouts import TIMEOUTS
from toolbench.tool import LOOP

FOLDER = ROOT / "toolbench" / "limits"
OBJECTS = "objects"
NAME = "tarantool"
RIGHT = b"ok"


@dataclass
class LimitsSubject:
    """A `race.discipline.Subject`. The first operation that needs the server starts it."""

    contender: Contender
    databases: Databases
    layout: Layout
    _server: Server | None = None

    def parties(self) -> Mapping[str, Party]:
        """Return the parties; the driver is the server, or a process that builds objects."""
        pid = None if self._server is None else self._server.child.pid
        return {
            DRIVER: Party(pid, self.layout[DRIVER]),
            GENERATOR: Party(None, self.layout[GENERATOR]),
            DATABASE: Party(self.databases.pid(NAME), self.layout[DATABASE]),
        }

    def alive(self) -> bool:
        """Return whether the server runs, if it was started."""
        return self._server is None or self._server.child.running()

    def resume(self) -> None:
        """Pin the server to its core."""
        if self._server is not None:
            pin_tree(tree(self._server.child.pid), self.layout[DRIVER])

    def pause(self) -> None:
        """Move the server off the measured cores."""
        if self._server is not None:
            pin_tree(tree(self._server.child.pid), cores.resting(self.layout))

    def check(self, task: str) -> None:
        """Raise CellFailed if the page does not answer `ok`."""
        if task != OBJECTS:
            self._server = self._server or self._started()
            verify(self._server.url, task)

    def drive(self, work: Work) -> Sample:
        """Load a page, or build objects for as long."""
        if work.task == OBJECTS or self._server is None:
            return self._build(work.load.duration_s)
        target = Target(self._server.url, f"/{work.task}")
        return drive(target, work.load, self._server.child, self.layout[GENERATOR]).sample

    def facts(self, task: str) -> Figures:
        """Return how many requests to the database a page needs."""
        return {} if task == OBJECTS else {"database_requests": 1}

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.child.end()

    def _started(self) -> Server:
        factors = self.contender.factors
        words = [self._python(), str(FOLDER / "serve.py"), "--loop", factors[LOOP]]
        words += DRIVERS[self.contender.name].options
        return serving(Child(words, self.layout[DRIVER], cwd=ROOT, pipe_output=True))

    def _build(self, seconds: float) -> Sample:
        words = [self._python(), str(FOLDER / "objects.py"), "--seconds", str(seconds)]
        child = Child(words, self.layout[DRIVER])
        try:
            if wait_first([child], seconds + RACE_TIMEOUTS.generator_end) is None:
                raise CellFailed(
                    f"objects.py did not end {RACE_TIMEOUTS.generator_end:.0f} s after its time"
                )
            spent = cpu_ns(child.pid)
            if child.exit().code != 0:
                raise CellFailed(f"objects.py {child.last_words()}")
            found = json.loads(child.output())
        except (ValueError, KeyError) as error:
            raise CellFailed(f"objects.py gave no result: {error}") from None
        finally:
            child.end()
        used = {DRIVER: spent, GENERATOR: 0}  # there is no generator
        return Sample(int(found["objects"]), float(found["seconds"]), cpu_ns=used)

    def _python(self) -> str:
        return str(own_interpreter(self.contender.factors[PYTHON]) or sys.executable)


def verify(url: str, task: str) -> None:
    """Raise CellFailed if the page of an operation does not answer `ok`."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUTS.page)
    try:
        connection.request("GET", f"/{task}")
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise CellFailed(f"{task} did not answer: {type(error).__name__} {error}") from None
    finally:
        connection.close()
    if (answer.status, body) != (200, RIGHT):
        raise CellFailed(f"{task} answered {answer.status} {body[:20]!r} instead of {RIGHT!r}")


def start(contender: Contender, shared: Shared, layout: Layout) -> LimitsSubject:
    """Return a contender, without a server yet."""
    return LimitsSubject(contender, shared.databases, layout)
