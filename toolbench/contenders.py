"""The contenders of a race: drivers at the levels that a scenario asks for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import product

from databases import find
from race.discipline import Choice
from race.machine.describe import PYTHON, current_python
from race.plan.contenders import matching
from race.saved.model import Contender
from race.web.databases import address
from toolbench.drivers import DRIVERS
from toolbench.operation import operations
from toolbench.scenario import ToolsScenario
from toolbench.tool import RUNNER, TRANSPORT, ForeignTool, Tool
from toolbench.transport import LISTENERS, TCP, UNIX

CONTENDER = "driver"
DRIVER = "driver"
"""The factor whose level is the driver."""
NO_PYTHON = "none"


def choose(scenario: ToolsScenario) -> Choice:
    """Return the contenders of a scenario; RaceError if a name fits no driver."""
    left_out: list[str] = []
    found: list[Contender] = []
    for name in matching(scenario, DRIVERS, CONTENDER):
        if problem := _unfit(scenario, name) or DRIVERS[name].problem():
            left_out.append(f"{name}: {problem}")
            continue
        found += raced(scenario, name)
        own = _levels(name)
        left_out += [
            f"{name} with {factor} {level}: it has only {', '.join(own[factor])}"
            for factor, asked in scenario.asked.items()
            for level in asked
            if factor in own and level not in own[factor]
        ]
    left_out += [
        f"the settings: {variable} names a server, which keeps its own"
        for variable in {find(DRIVERS[one.name].database).url_variable for one in found}
        if scenario.settings and os.environ.get(variable)
    ]
    cannot = {one.label: lacks for one in found if (lacks := unsupported(scenario, one.name))}
    return Choice(scenario, found, left_out, cannot)


def raced(scenario: ToolsScenario, name: str) -> list[Contender]:
    """Return a driver at each combination of those levels that it has and the scenario asks for.

    Where it has none of the levels of a factor, its plainest is raced. A label names the levels
    that are not the driver's plainest.
    """
    own, found = _levels(name), []
    levels = {
        factor: [level for level in asked if level in own[factor]] or own[factor][:1]
        for factor, asked in scenario.asked.items()
        if factor in own
    }
    for combination in product(*levels.values()):
        factors = dict(zip(levels, combination, strict=True))
        special = [level for factor, level in factors.items() if level != own[factor][0]]
        called = DRIVERS[name].called or name
        factors = {DRIVER: called, **factors, PYTHON: _python(DRIVERS[name])}
        found.append(Contender(label=", ".join([name, *special]), name=name, factors=factors))
    return found


def unsupported(scenario: ToolsScenario, name: str) -> dict[str, str]:
    """Return the operations of a scenario that a driver does not do, each with the reason."""
    tool, known = DRIVERS[name], operations()
    found: dict[str, str] = {}
    for task in scenario.tasks:
        operation = known.get(task)
        if tool.generator != RUNNER:
            found |= {task: "it has no page for it"} if operation else {}
        elif operation is None or operation.database != tool.database:
            found[task] = f"it is none of {tool.database}"
        elif reason := tool.lacks(operation.kind):
            found[task] = reason
    return found


def driver_texts() -> dict[str, str]:
    """Return what a report says about each driver: what it is, and which types its users get."""
    found = {}
    for name, tool in DRIVERS.items():
        given = ", ".join(f"{kind} as {tag}" for kind, tag in tool.gives.items())
        about = tool.text and f"{tool.text} (database: {tool.database})"
        if text := "; ".join(filter(None, (about, given and f"it gives {given}"))):
            found[tool.called or name] = text
    return found


def _unfit(scenario: ToolsScenario, name: str) -> str | None:
    """Return why a driver cannot take part in this race on any machine."""
    generator = DRIVERS[name].generator
    if scenario.load.generator != generator:
        return f'it is driven by {generator}: [load] generator = "{generator}"'
    lacks = unsupported(scenario, name)
    if len(lacks) == len(scenario.tasks):
        return f"it does none of these operations: {next(iter(lacks.values()))}"
    return None


def _levels(name: str) -> Mapping[str, Sequence[str]]:
    """Return the levels that a driver has here, by factor, its plainest first."""
    tool = DRIVERS[name]
    return {**tool.levels, TRANSPORT: _transports(tool.database)}


def _transports(database: str) -> Sequence[str]:
    """Return how a database can be reached: by its URL, or as the private one can listen."""
    if url := os.environ.get(find(database).url_variable):
        return (TCP,) if address(database, url).path is None else (UNIX,)
    return (UNIX, TCP) if database in LISTENERS else (UNIX,)


def _python(tool: Tool) -> str:
    return NO_PYTHON if isinstance(tool, ForeignTool) else tool.python or current_python()
