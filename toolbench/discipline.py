"""The second discipline: database drivers and the interpreter, measured like with like.

``DRIVERS`` is the registry: each target makes a ``discipline.Subject`` from the contender and the
databases of the race.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from databases import DATABASES, find
from race.discipline import Choice, Finding, Start, Subject, Task
from race.errors import RaceError
from race.machine import cores
from race.machine.describe import PYTHON, current_python, number, output
from race.plan.contenders import matching
from race.saved.model import Contender
from race.web import load as generators
from race.web.databases import Databases, held
from race.web.levels import LEVELS
from runtime.interpreters import executable
from runtime.plugin import Plugin
from toolbench.scenario import ToolsScenario

DRIVER, GENERATOR, DATABASE = PARTIES = ("driver", "generator", "database")


@dataclass(frozen=True)
class Tool(Plugin):
    """A contender: its factors, the database that it needs."""

    loop: str = "asyncio"
    database: str = ""

    @property
    def factors(self) -> dict[str, str]:
        """Factor to level."""
        return {"loop": self.loop, PYTHON: self.python or current_python()}

    def problem(self) -> str | None:
        """Why it cannot run here, and what to do."""
        if self.python and not executable(self.python).exists():
            return f"no environment for CPython {self.python}: make env"
        database = find(self.database)
        return None if os.environ.get(database.url_variable) else database.missing()


DRIVERS = {
    f"limits-{loop}": Tool(
        "toolbench.limits.subject:start", python="3.7", loop=loop, database="tarantool"
    )
    for loop in ("asyncio", "uvloop")
}

OPERATIONS = {
    "select-sync": Task(
        "Nine rows, blocking",
        text="Tarantool's blocking connector reads nine rows; nothing else runs meanwhile.",
    ),
    "select-async": Task(
        "Nine rows with an iterator", text="asynctnt reads the nine rows with the best rating."
    ),
    "select-async-lite": Task(
        "Nine rows without one", text="asynctnt reads any nine rows, the cheapest way there is."
    ),
    "upsert-async": Task("Upsert", text="asynctnt counts one more visit of a session."),
    "objects": Task(
        "A million result objects", text="The interpreter alone builds the objects of results."
    ),
}
LEVEL_TEXTS = {"loop": LEVELS["loop"]}


class Tools:
    """`race.discipline.Discipline` for drivers."""

    unit = "operations"
    contender = "driver"
    task = "operation"
    parties = PARTIES
    scenario = ToolsScenario
    headline = None
    level_texts = LEVEL_TEXTS

    @property
    def factors(self) -> Mapping[str, Sequence[str]]:
        """What drivers differ in."""
        return {"loop": ("asyncio", "uvloop"), PYTHON: ()}

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What every driver can do."""
        return OPERATIONS

    def choose(self, scenario: ToolsScenario) -> Choice:
        """See ``Discipline.choose``."""
        if scenario.open_loop:
            raise RaceError(f"scenario {scenario.name}: operations have no fixed rates")
        if missing := generators.find(scenario.load.generator).missing():
            raise RaceError(missing)
        runs, left_out = [], []
        for name in matching(scenario, DRIVERS, self.contender):
            if problem := DRIVERS[name].problem():
                left_out.append(f"left out: {name}: {problem}")
            else:
                runs.append(Contender(label=name, name=name, factors=DRIVERS[name].factors))
        return Choice(scenario, runs, left_out)

    @contextmanager
    def open(self, scenario: ToolsScenario, contenders: Sequence[Contender]) -> Iterator[Start]:
        """Hold the databases of the contenders."""
        names = {DRIVERS[one.name].database for one in contenders}
        with held(names) as databases:
            yield lambda contender: _start(contender, databases)

    def versions(self) -> Mapping[str, str | None]:
        """Of the generator and the databases."""
        wrk = number(output(["wrk", "-v"], any_exit=True))
        return {"wrk": wrk, **{name: find(name).version() for name in DATABASES}}

    def findings(self) -> Sequence[Finding]:
        """See ``Discipline.findings``: nothing here is needed by a race of the site."""
        problems = {name: driver.problem() for name, driver in DRIVERS.items()}
        return [
            Finding(name, None if problem else True, problem or "can be measured")
            for name, problem in problems.items()
        ]


def _start(contender: Contender, databases: Databases) -> Subject:
    layout = cores.assign(PARTIES)
    databases.pin(layout[DATABASE])
    start: Any = DRIVERS[contender.name].load()
    made: Subject = start(contender, databases, layout)
    return made
