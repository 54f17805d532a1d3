"""Scenarios: races as data. Every key of a file is a field here or in a discipline's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from race.saved.model import Limits, Load, Name, Positive, Sharing, matching

DEFAULT_DISCIPLINE = "web"
DEFAULT_SCENARIO = "quick"

# Whoever asks for more has mistyped: the plan of a race, which is made first, would not end.
Number = Annotated[int, Meta(ge=1, le=100_000)]
Rounds = Annotated[int, Meta(ge=1, le=10_000)]
Rate = Annotated[float, Meta(gt=0, le=1e9)]
LEAST_SECONDS = 0.2
"""The shortest cell. Generators take up to a tenth of a second to start, and wrk looks at its clock
ten times a second, so the length of a shorter cell would not be known.
"""
MOST_SECONDS = 7 * 86_400
Duration = Annotated[float, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)]
Window = Annotated[float, Meta(gt=0, le=MOST_SECONDS)]
FileName = Annotated[str, matching(r"^[^/\x00-\x1f]+$", "a name of a file has no /")]
"""A part of the name of the folder that a race is saved in."""
Names = Annotated[tuple[Name, ...], Meta(min_length=1)]


class LoadPlan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of a task. `pipeline` depths above 1 are used on tasks that allow it, over
    `pipelined_connections`: few, for each has a whole batch under way, and libuv accepts one for
    each turn of its loop.

    Rates (units/s) make the load open: `rates` are absolute, `rates_of_slowest` and `rates_of_own`
    are fractions of the capacity that a closed-loop cell found before. `closed_too`: closed-loop
    cells go on beside them.

    `connections` are those that the calibration begins with; it raises them where a contender needs
    more. libuv accepts one for each turn of its loop, so many of them spend a short cell on that.
    """

    generator: Name = "own"
    connections: Number = 16
    threads: Number = 1
    pipeline: Annotated[tuple[Number, ...], Meta(min_length=1)] = (1,)
    pipelined_connections: Number = 8
    duration_s: Duration = 5.0
    rates: tuple[Rate, ...] = ()
    rates_of_slowest: tuple[Rate, ...] = ()
    rates_of_own: tuple[Rate, ...] = ()
    closed_too: bool = False
    open_generator: Name = "own"
    open_duration_s: Duration = 5.0
    max_connections: Number = 800

    def closed(self, depth: int) -> Load:
        """The load of a cell without a rate, at a depth."""
        connections = self.connections if depth == 1 else self.pipelined_connections
        return Load(self.generator, connections, self.threads, depth, None, self.duration_s)

    def closed_loads(self, pipelines: bool) -> Sequence[Load]:
        """Return the loads of a task without a rate: one for each depth if the task `pipelines`."""
        return [self.closed(depth) for depth in (self.pipeline if pipelines else (1,))]


class WarmUpPlan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Windows of load before a cell, until two in a row agree within `agreement`: a contender that
    rested has to wake up, and no more, since the calibration has warmed it up. `calibration_s` is
    the length of a window there.
    """

    window_s: Window = 0.2
    calibration_s: Window = 0.4
    windows: Number = 2
    agreement: Positive = 0.1


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One race. `contenders` and `tasks` are names or shell patterns; a discipline's own scenario
    calls them by its words (engines, pages).

    `twin` is the contender that runs twice, as its own A/A control, or a pattern of several, such
    as "*"; empty means the baseline.
    `restart`: contenders are started anew after so many rounds, so that what a process keeps for
    its life comes and goes; 0: they live as long as the race.

    `cores`: server or driver, generator and database have their "own" cores, share "one", or run on
    "any" of them, unpinned. `order`: the cells of a round come "shuffled", or all cells of a
    contender before those of the next one ("contenders"). Other values than the first show how
    results look that were measured so.
    """

    name: FileName
    title: str
    contenders: Names
    tasks: Names
    discipline: str = DEFAULT_DISCIPLINE
    exclude: tuple[str, ...] = ()
    rounds: Rounds = 4
    restart: Annotated[int, Meta(ge=0)] = 0
    baseline: str | None = None
    twin: str | None = None
    time_limit_s: Positive | None = None
    cores: Sharing = "own"
    order: Literal["shuffled", "contenders"] = "shuffled"
    load: LoadPlan = LoadPlan()
    warmup: WarmUpPlan = WarmUpPlan()
    limits: Limits = Limits()

    def starts_anew(self, number: int) -> bool:
        """Return whether all contenders are started again before a round."""
        return self.restart > 0 and number > 1 and (number - 1) % self.restart == 0

    @property
    def open_loop(self) -> bool:
        """Return whether it asks for fixed rates."""
        load = self.load
        return bool(load.rates or load.rates_of_slowest or load.rates_of_own)

    @property
    def own_programs(self) -> Mapping[str, Sequence[str]]:
        """Command lines that are run as its file says them, by name."""
        return {}

    def reset_by(self, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the keys, with their values, that these changed keys make pointless."""
        return {}

    def as_json(self) -> dict[str, Any]:
        """Return the scenario as `from_json` accepts it again."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data
