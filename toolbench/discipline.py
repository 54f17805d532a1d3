"""The discipline of database drivers: they are in ``drivers.py``, their operations in
``<database>/operations/``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from databases import DATABASES, find
from race import load as generators
from race.discipline import Choice, Finding, Start, Task
from race.errors import RaceError
from race.machine.describe import PYTHON, number, output
from race.saved.model import Contender
from runtime.paths import INSTALLED, extra
from toolbench import contenders as choosing
from toolbench.contenders import CONTENDER, DRIVER, driver_texts
from toolbench.drivers import DRIVERS
from toolbench.languages import versions
from toolbench.limits.operations import OPERATIONS as LIMITS
from toolbench.operation import operations
from toolbench.scenario import ToolsScenario
from toolbench.shared import PARTIES, opened
from toolbench.tool import FACTORS, PROGRAM, RUNNER

LEVEL_TEXTS = {
    "loop": {
        "asyncio": "the event loop of CPython itself",
        "uvloop": "the event loop uvloop, written in C",
        "threads": "no event loop: the driver blocks, and each connection has a thread",
        "goroutines": "the scheduler of Go: each connection has a goroutine",
        "libuv": "the event loop of Node",
    },
    "statements": {
        "prepared": "the statement is prepared once for each connection, and executed from then on",
        "unprepared": "each operation sends its statement again",
    },
    "transport": {"unix": "over a Unix socket", "tcp": "over TCP, on the same machine"},
    "format": {
        "text": "rows come as texts",
        "binary": "rows come in the database's binary form",
    },
    PROGRAM: {
        "plain": "half of the operations are writes, as SQLAlchemy's documentation has them",
        "article": "as the article had it: a coin decides what is a write, asynchronous results "
        "are streamed, each is printed (to the null device, line by line), tables are dropped and "
        "made within the time, and the pools are of 2,000 (blocking) or 3,000 with 20 over",
    },
}


class Tools:
    """A `race.discipline.Discipline`."""

    unit = "operations"
    contender = CONTENDER
    task = "operation"
    parties = PARTIES
    scenario = ToolsScenario

    def headline(self, scenario: ToolsScenario) -> str:
        """Return the operation of the article, rows of many columns."""
        return "wide"

    def factors(self, scenario: ToolsScenario) -> Mapping[str, Sequence[str]]:
        """Return the factors in which drivers differ, with their levels."""
        names = dict.fromkeys(tool.called or name for name, tool in DRIVERS.items())
        return {DRIVER: list(names), **FACTORS, PYTHON: ()}

    def tasks(self, scenario: ToolsScenario) -> Mapping[str, Task]:
        """Return the operations, sorted by database, and those of the limits."""
        known = operations()
        return {**{name: Task(one.title, text=one.text) for name, one in known.items()}, **LIMITS}

    def level_texts(self, scenario: ToolsScenario) -> Mapping[str, Mapping[str, str]]:
        """Return what each driver is, and what the levels of its options mean."""
        return {DRIVER: driver_texts(), **LEVEL_TEXTS}

    def choose(self, scenario: ToolsScenario) -> Choice:
        if scenario.open_loop:
            raise RaceError(f"scenario {scenario.name}: operations have no fixed rates")
        generator = scenario.load.generator
        if generator != RUNNER and (missing := generators.find(generator).missing()):
            raise RaceError(missing)
        return choosing.choose(scenario)

    @contextmanager
    def open(self, scenario: ToolsScenario, contenders: Sequence[Contender]) -> Iterator[Start]:
        """Hold the databases of the contenders, and prepare what operations need."""
        with opened(scenario, contenders) as shared:
            yield shared.start

    def versions(self) -> Mapping[str, str | None]:
        """Return the versions of the generator, databases, and drivers of other languages."""
        wrk = number(output(["wrk", "-v"], any_exit=True))
        own = {name: find(name).version() for name in DATABASES}
        return {"wrk": wrk, **own, **versions()}

    def findings(self) -> Sequence[Finding]:
        """Return whether each driver can be measured; a race of the site needs none of them."""
        problems = {name: driver.problem() for name, driver in DRIVERS.items()}
        if INSTALLED and all(problems.values()):
            absent = f"its drivers are not installed: {extra('toolbench')}"
            return [Finding("the toolbench", None, absent)]
        return [
            Finding(name, None if problem else True, problem or "can be measured")
            for name, problem in problems.items()
        ]
