"""Warm-up: short windows until two agree, with more connections while nobody is saturated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from race.run.measure import Measured
from race.run.rules import little, nobody_saturated
from race.saved.model import Load, WarmUp
from race.scenario import Scenario

WORTH_RAISING = 1.03
"""Connections stay raised only when they bring 3 % more: the smallest difference a race claims."""

Window = Callable[[Load], Measured]


@dataclass(frozen=True)
class Warm:
    """How a warm-up went: the connections to use, how it is saved, its last window."""

    connections: int
    record: WarmUp
    last: Measured


def warm_up(scenario: Scenario, load: Load, known: int | None, window: Window) -> Warm:
    """Drive windows until two in a row agree or the limit is reached.

    `known` are the connections that were found to be needed before; without, they are found here.
    """
    plan = scenario.warmup
    load = replace(load, duration_s=plan.window_s, connections=known or load.connections)
    last = window(load)
    driven, agreed = 1, False
    while driven < plan.windows and not agreed:
        before, last = last, window(load)
        driven += 1
        change = last.sample.throughput / max(1e-9, before.sample.throughput) - 1
        agreed = abs(change) <= plan.agreement
    if load.rate is None and known is None:
        load, last, more = _raise(scenario, last, load, window)
        driven += more
    return Warm(load.connections, WarmUp(driven, agreed), last)


def _raise(
    scenario: Scenario, last: Measured, load: Load, window: Window
) -> tuple[Load, Measured, int]:
    """Double the connections while nobody is saturated and it helps; also the windows it took."""
    tried = 0
    most = scenario.load.max_connections
    while nobody_saturated(last.meters["busy"]) and load.connections * 2 <= most:
        more = replace(load, connections=load.connections * 2)
        tried += 1
        now = window(more)
        better = now.sample.throughput >= last.sample.throughput * WORTH_RAISING
        # Connections that a busy server does not even accept are no load.
        if not better or now.sample.failed or little(scenario.limits, now.sample, more):
            break
        load, last = more, now
    return load, last, tried
