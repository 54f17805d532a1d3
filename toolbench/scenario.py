"""Scenarios of the toolbench: drivers on operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import field
from msgspec.structs import force_setattr

from race.errors import RaceError, unknown
from race.saved.model import Load, Name
from race.scenario import AtLeastOne, LoadPlan, Names, Scenario
from toolbench.drivers import (
    FACTORS,
    FORMAT,
    GENERATORS,
    LOOP,
    RUNNER,
    STATEMENTS,
    TRANSPORT,
)
from toolbench.operation import operations


class ToolsLoad(LoadPlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each operation is driven at each `concurrency`, so many under way at a time. Without one the
    runner takes `connections`, and wrk raises them, as on pages of the site.
    """

    generator: Name = RUNNER
    concurrency: tuple[AtLeastOne, ...] = ()

    def __post_init__(self) -> None:
        if self.generator not in GENERATORS:
            raise unknown("load generator", self.generator, GENERATORS)
        if self.concurrency and self.connections != LoadPlan().connections:
            raise RaceError("load.concurrency and load.connections: one of them says how many")

    def closed_loads(self, pipelines: bool) -> Sequence[Load]:
        """See ``LoadPlan``."""
        if self.generator != RUNNER and not self.concurrency:
            return LoadPlan.closed_loads(self, pipelines)
        return [
            Load(self.generator, number, self.threads, duration_s=self.duration_s, fixed=True)
            for number in self.concurrency or (self.connections,)
        ]


class ToolsScenario(Scenario, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`drivers` are names or patterns of what is measured, `operations` what it does.

    `loop`, `statements`, `transport` and `format` are levels of these factors, each raced with
    each; without any a driver's plainest. `geometric_mean` are operations of which a report tells
    the mean; those that are not raced are left out of it.
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
        # Where only some operations are raced, the mean is over those of them that are there.
        there = tuple(task for task in self.geometric_mean if task in self.tasks)
        force_setattr(self, "geometric_mean", there)

    def reset_by(self, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the one of `connections` and `concurrency` that the other one replaces."""
        if "load.concurrency" in changes:
            return {"load.connections": LoadPlan().connections}
        return {"load.concurrency": []} if "load.connections" in changes else {}

    @property
    def asked(self) -> Mapping[str, Sequence[str]]:
        """The levels that are asked for, by factor, in the order in which a label says them."""
        wanted = {
            LOOP: self.loop,
            STATEMENTS: self.statements,
            TRANSPORT: self.transport,
            FORMAT: self.format,
        }
        return {factor: wanted[factor] for factor in FACTORS}
