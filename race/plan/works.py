"""Makes the works of a contender: each task under each load of the scenario."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Task
from race.plan.contenders import TWIN_MARK
from race.saved.model import Contender, Load, Work
from race.scenario import Scenario


def closed_works(scenario: Scenario, tasks: Mapping[str, Task]) -> list[Work]:
    """Return the works without a rate: each task under each load that the scenario has for it."""
    return [
        Work(name, load)
        for name in scenario.tasks
        for load in scenario.load.closed_loads(tasks[name].pipelines)
    ]


def open_works(
    scenario: Scenario, contender: Contender, capacity: Mapping[tuple[str, str], float]
) -> list[Work]:
    """Return the open-loop works of a contender; `capacity` is units/s by (label, task)."""
    plan = scenario.load
    works = []
    for name in scenario.tasks:
        slowest = min((most for (_, task), most in capacity.items() if task == name), default=0.0)
        own = capacity.get((contender.label.removesuffix(TWIN_MARK), name), 0.0)
        rates = [*plan.rates, *(part * slowest for part in plan.rates_of_slowest)]
        rates += [part * own for part in plan.rates_of_own]
        for rate in sorted({float(round(rate)) for rate in rates if rate >= 1}):
            connections, seconds = plan.connections, plan.open_duration_s
            load = Load(plan.open_generator, connections, plan.threads, 1, rate, seconds)
            works.append(Work(name, load))
    return works
