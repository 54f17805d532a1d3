"""Warm-up: short windows until two agree, with more connections while nobody is saturated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from race.plan.order import Work
from race.plan.scenario import Scenario
from race.run.arena import Arena
from race.run.measure import Measured, drive
from race.run.rules import little
from race.saved.model import Load
from race.web.load import Target
from race.web.servers import Server

WORTH_RAISING = 1.03
"""Connections stay raised only when they bring 3 % more: the smallest difference a race claims."""


@dataclass(frozen=True)
class Warm:
    """How a warm-up went: the connections to use, windows driven, whether two of them agreed."""

    connections: int
    windows: int
    agreed: bool


def warm_up(
    arena: Arena, server: Server, database: str | None, target: Target, label: str, work: Work
) -> Warm:
    """Drive windows until two in a row agree or the limit is reached."""
    plan = arena.scenario.warmup
    key = (label, work)
    generator = arena.generator(work.load.generator)
    load = replace(work.load, duration_s=plan.window_s)
    load = replace(load, connections=arena.connections.get(key, load.connections))

    def window(load: Load) -> Measured:
        return drive(arena, server, database, target, load)

    last = window(load)
    driven, agreed = 1, False
    while driven < plan.windows and not agreed:
        before, last = last, window(load)
        driven += 1
        agreed = abs(last.sample.rps / max(1e-9, before.sample.rps) - 1) <= plan.agreement
    if generator.closed_loop and key not in arena.connections:
        load, more = _raise(arena.scenario, last, load, window)
        driven += more
        arena.connections[key] = load.connections
    return Warm(load.connections, driven, agreed)


def _raise(
    scenario: Scenario, last: Measured, load: Load, window: Callable[[Load], Measured]
) -> tuple[Load, int]:
    """Double the connections while nobody is saturated and it helps; also the windows it took."""
    tried = 0
    most = scenario.load.max_connections
    while last.busy.nobody_saturated and load.connections * 2 <= most:
        more = replace(load, connections=load.connections * 2)
        tried += 1
        now = window(more)
        better = now.sample.rps >= last.sample.rps * WORTH_RAISING and not now.sample.failed
        # Connections that a busy server does not even accept are no load.
        if not better or little(scenario.validity, now.sample, more):
            break
        load, last = more, now
    return load, tried
