"""Scenarios of the toolbench: drivers on operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, field
from msgspec.structs import force_setattr

from race.errors import RaceError, unknown
from race.saved.model import Load, Name, matching
from race.scenario import LoadPlan, Names, Number, Scenario
from toolbench.operation import OperationSpec, operations
from toolbench.tool import FACTORS, GENERATORS, RUNNER

SettingName = Annotated[str, matching(r"^[a-z_]+$", "a name has small letters and _ alone")]
Size = Annotated[int, Meta(ge=1, le=10_000_000)]


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

    `loop`, `statements`, `transport`, `format` and `program` are levels of these factors, each
    raced with each; without any, a driver's plainest. `settings` are those of a server that the
    race starts for itself, as it does over TCP. A report has the geometric mean of the operations
    in `geometric_mean` that are raced. `sizes` are those numbers of operations that differ from
    the operations' own, by name: the rows of a table, the queries at once.
    """

    contenders: Names = field(name="drivers")
    tasks: Names = field(name="operations")
    loop: tuple[Name, ...] = ()
    statements: tuple[Name, ...] = ()
    transport: tuple[Name, ...] = ()
    format: tuple[Name, ...] = ()
    program: tuple[Name, ...] = ()
    settings: dict[SettingName, str | int] = field(default_factory=dict)
    geometric_mean: tuple[Name, ...] = ()
    sizes: dict[str, Size] = field(default_factory=dict)
    load: ToolsLoad = ToolsLoad()

    def __post_init__(self) -> None:
        for factor, asked in self.asked.items():
            for level in asked:
                if level not in FACTORS[factor]:
                    raise unknown(factor, level, FACTORS[factor])
        own = {size for one in operations().values() for size in one.sizes}
        for size in self.sizes:
            if size not in own:
                raise unknown("size of operations", size, own)
        known = self.known
        for task in self.geometric_mean:
            if task not in known:
                raise unknown("operation of the geometric mean", task, known)
        raced = tuple(task for task in self.geometric_mean if task in self.tasks)
        force_setattr(self, "geometric_mean", raced)

    def reset_by(self, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the one of `connections` and `concurrency` that the other one replaces."""
        if "load.concurrency" in changes:
            return {"load.connections": LoadPlan().connections}
        return {"load.concurrency": []} if "load.connections" in changes else {}

    @property
    def known(self) -> Mapping[str, OperationSpec]:
        """All operations by name, with the sizes of this scenario."""
        return operations(sizes=tuple(sorted(self.sizes.items())))

    @property
    def raced(self) -> Sequence[OperationSpec]:
        """The operations that are raced; the limits' are none."""
        return [self.known[task] for task in self.tasks if task in self.known]

    @property
    def asked(self) -> Mapping[str, Sequence[str]]:
        """The levels that the scenario asks for, by factor, in the order of labels."""
        return {factor: getattr(self, factor) for factor in FACTORS}
