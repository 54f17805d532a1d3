"""Scenarios of the toolbench: drivers on operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import field
from msgspec.structs import force_setattr

from race.errors import RaceError, unknown
from race.saved.model import Load, Name
from race.scenario import LoadPlan, Names, Number, Scenario
from toolbench.operation import operations
from toolbench.tool import FACTORS, GENERATORS, RUNNER


class ToolsLoad(LoadPlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A load on operations: each is driven with each `concurrency`, the operations under way.

    Without one, a runner drives `connections` at a time; wrk raises them, as on the site's pages.
    """

    generator: Name = RUNNER
    concurrency: tuple[Number, ...] = ()

    def __post_init__(self) -> None:
        if self.generator not in GENERATORS:
            raise unknown("load generator", self.generator, GENERATORS)
        if self.concurrency and self.connections != LoadPlan().connections:
            raise RaceError("load.concurrency and load.connections: one of them says how many")

    def closed_loads(self, pipelines: bool) -> Sequence[Load]:
        if self.generator != RUNNER and not self.concurrency:
            return LoadPlan.closed_loads(self, pipelines)
        return [
            Load(self.generator, number, self.threads, duration_s=self.duration_s, fixed=True)
            for number in self.concurrency or (self.connections,)
        ]


class ToolsScenario(Scenario, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A race of `drivers` (names, patterns or labels) on `operations`.

    `loop`, `statements`, `transport` and `format` are levels of these factors, each raced with
    each; without any, a driver's plainest. A report has the geometric mean of the operations in
    `geometric_mean` that are raced.
    """

    contenders: Names = field(name="drivers")
    tasks: Names = field(name="operations")
    loop: tuple[Name, ...] = ()
    statements: tuple[Name, ...] = ()
    transport: tuple[Name, ...] = ()
    format: tuple[Name, ...] = ()
    geometric_mean: tuple[Name, ...] = ()
    load: ToolsLoad = ToolsLoad()

    def __post_init__(self) -> None:
        for factor, asked in self.asked.items():
            for level in asked:
                if level not in FACTORS[factor]:
                    raise unknown(factor, level, FACTORS[factor])
        for task in self.geometric_mean:
            if task not in operations():
                raise unknown("operation of the geometric mean", task, operations())
        raced = tuple(task for task in self.geometric_mean if task in self.tasks)
        force_setattr(self, "geometric_mean", raced)

    def reset_by(self, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the one of `connections` and `concurrency` that the other one replaces."""
        if "load.concurrency" in changes:
            return {"load.connections": LoadPlan().connections}
        return {"load.concurrency": []} if "load.connections" in changes else {}

    @property
    def asked(self) -> Mapping[str, Sequence[str]]:
        """The levels that the scenario asks for, by factor, in the order of labels."""
        return {factor: getattr(self, factor) for factor in FACTORS}
