"""Warm-up: short windows until two agree; in the calibration with more connections while nobody is
saturated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from race.run.measure import Measured
from race.run.rules import disturbances, little, nobody_saturated
from race.saved.model import Load, WarmUp
from race.scenario import Scenario

WORTH_RAISING = 1.03
"""Connections stay raised only when they bring 3 % more: the smallest difference a race claims."""

Window = Callable[[Load], Measured]


@dataclass(frozen=True)
class Warm:
    """How a warm-up went: the load as it was driven, how it is saved, its last window."""

    load: Load
    record: WarmUp
    last: Measured


def warm_up(scenario: Scenario, load: Load, window: Window) -> Warm:
    """Drive windows until two in a row agree or the limit is reached."""
    plan = scenario.warmup
    load = replace(load, duration_s=plan.window_s)
    last = window(load)
    driven, agreed = 1, None if plan.windows == 1 else False
    while driven < plan.windows and not agreed:
        before, last = last, window(load)
        driven += 1
        change = last.sample.throughput / max(1e-9, before.sample.throughput) - 1
        agreed = abs(change) <= plan.agreement
    return Warm(load, WarmUp(driven, agreed), last)


def raised(scenario: Scenario, warm: Warm, window: Window) -> Warm:
    """Double the connections while nobody is saturated and it helps.

    Not while others use the cores: they look idle to who was kept off them.
    """
    load, last, driven = warm.load, warm.last, warm.record.windows
    most = scenario.load.max_connections
    while _wanting(scenario, last) and load.connections * 2 <= most:
        more = replace(load, connections=load.connections * 2)
        driven += 1
        now = window(more)
        better = now.sample.throughput >= last.sample.throughput * WORTH_RAISING
        # Connections that a busy server does not even accept are no load.
        if not better or now.sample.failed or little(scenario.limits, now.sample, more):
            break
        load, last = more, now
    return Warm(load, WarmUp(driven, warm.record.agreed), last)


def _wanting(scenario: Scenario, last: Measured) -> bool:
    undisturbed = not disturbances(scenario.limits, last.meters["cores"])
    return undisturbed and nobody_saturated(last.meters["busy"])
