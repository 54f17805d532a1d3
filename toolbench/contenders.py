"""Who can race: drivers at the levels that a scenario asks for, and what of it cannot be."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from databases import find
from race.discipline import Choice
from race.machine.describe import PYTHON, current_python
from race.plan.contenders import matching
from race.saved.model import Contender
from toolbench.drivers import DRIVERS, RUNNER, TRANSPORT, Program, Tool
from toolbench.operation import operations
from toolbench.scenario import ToolsScenario
from toolbench.transport import LISTENERS, TCP, UNIX

CONTENDER, DRIVER = "driver", "driver"
NO_PYTHON = "none"


def choose(scenario: ToolsScenario) -> Choice:
    """What a scenario names; RaceError when a name fits nothing."""
    left_out: list[str] = []
    found: list[Contender] = []
    for name in matching(scenario, DRIVERS, CONTENDER):
        tool = DRIVERS[name]
        if problem := _unfit(scenario, name, tool) or tool.problem():
            left_out.append(f"left out: {name}: {problem}")
            continue
        levels, missing = _levels(scenario, tool)
        left_out += [f"left out: {name}, {level}: it has no such {what}" for what, level in missing]
        found += _contenders(name, tool, levels)
    cannot = {one.label: lacks for one in found if (lacks := _cannot(scenario, one.name))}
    left_out += [
        f"unsupported: {label} on {task}: {reason}"
        for label, lacks in cannot.items()
        for task, reason in lacks.items()
    ]
    return Choice(scenario, found, left_out, cannot)


def own_levels(tool: Tool) -> Mapping[str, Sequence[str]]:
    """Factor to the levels that a driver has here, its plainest first."""
    return {**tool.levels, TRANSPORT: _transports(tool.database)}


def _transports(database: str) -> Sequence[str]:
    """How a database can be reached: as its URL says, else as the private one listens."""
    known = find(database)
    if url := os.environ.get(known.url_variable):
        return (TCP,) if known.address(url).path is None else (UNIX,)
    return (UNIX, TCP) if database in LISTENERS else (UNIX,)


def _unfit(scenario: ToolsScenario, name: str, tool: Tool) -> str | None:
    """Why a driver cannot take part in this race, wherever it is run."""
    if scenario.load.generator != tool.generator:
        return f'it is driven by {tool.generator}: [load] generator = "{tool.generator}"'
    lacks = _cannot(scenario, name)
    if len(lacks) == len(scenario.tasks):
        return f"it does none of these operations: {next(iter(lacks.values()))}"
    return None


def _cannot(scenario: ToolsScenario, name: str) -> dict[str, str]:
    """Operation to the reason why a driver does not do it."""
    tool, known = DRIVERS[name], operations()
    found: dict[str, str] = {}
    for task in scenario.tasks:
        operation = known.get(task)
        if tool.generator != RUNNER:
            found |= {task: "it has no page for it"} if operation else {}
        elif operation is None or operation.database != tool.database:
            found[task] = f"it is none of {tool.database}"
        elif operation.kind in tool.cannot:
            found[task] = tool.cannot[operation.kind]
    return found


def _levels(
    scenario: ToolsScenario, tool: Tool
) -> tuple[dict[str, Sequence[str]], list[tuple[str, str]]]:
    """The levels to race at, by factor; what was asked for and is not there, as (factor, level)."""
    own, levels, missing = own_levels(tool), {}, []
    for factor, asked in scenario.asked.items():
        if factor in own:
            levels[factor] = [level for level in asked if level in own[factor]] or own[factor][:1]
            missing += [(factor, level) for level in asked if level not in own[factor]]
    return levels, missing


def _contenders(name: str, tool: Tool, levels: Mapping[str, Sequence[str]]) -> Iterator[Contender]:
    """One for each combination; its label says what is not the driver's plainest."""
    own = own_levels(tool)
    for combination in product(*levels.values()):
        factors = dict(zip(levels, combination, strict=True))
        special = [level for factor, level in factors.items() if level != own[factor][0]]
        yield Contender(
            label=", ".join([name, *special]),
            name=name,
            factors={DRIVER: tool.called or name, **factors, PYTHON: _python(tool)},
        )


def _python(tool: Tool) -> str:
    return NO_PYTHON if isinstance(tool, Program) else tool.python or current_python()


def driver_texts() -> dict[str, str]:
    """What a report says of each driver: what it is, and what its users get that others do not."""
    found = {}
    for name, tool in DRIVERS.items():
        given = [f"{kind} as {tag}" for kind, tag in tool.gives.items()]
        text = "; ".join(filter(None, (tool.text, given and f"it gives {', '.join(given)}")))
        if text:
            found[tool.called or name] = text
    return found
