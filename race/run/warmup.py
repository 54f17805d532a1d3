"""Drives short windows of load until two agree, and finds the connections that a task needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from race.run.measure import Measurement
from race.run.rules import disturbances, little, nobody_saturated
from race.saved.model import Load, WarmUp
from race.scenario import Scenario, WarmUpPlan

WORTH_RAISING = 1.03
"""Connections stay raised only when they bring 3 % more: the smallest difference a race claims."""

Window = Callable[[Load], Measurement]


@dataclass(frozen=True)
class Warm:
    """The result of a warm-up: the load as it was driven, the saved record, the last window."""

    load: Load
    record: WarmUp
    last: Measurement


def warm_up(plan: WarmUpPlan, load: Load, window: Window) -> Warm:
    """Drive windows until two in a row agree or the limit is reached."""
    load = replace(load, duration_s=plan.window_s)
    last = window(load)
    driven, agreed = 1, None if plan.windows == 1 else False
    while driven < plan.windows and not agreed:
        before, last = last, window(load)
        driven += 1
        change = last.sample.throughput / max(1e-9, before.sample.throughput) - 1
        agreed = abs(change) <= plan.agreement
    return Warm(load, WarmUp(driven, agreed), last)


def raised(scenario: Scenario, load: Load, window: Window, given: int | None = None) -> Warm:
    """Warm up, then double the connections while no party is saturated and it helps.

    It must help in two windows, since one may be lucky and all contenders get the connections that
    are found. Connections are not raised while other programs use the cores, for a party that they
    hold up looks idle. User loads, fixed connections and a `given` number stay as they are.
    """
    load = replace(load, connections=given or load.connections)
    plan = replace(scenario.warmup, window_s=scenario.warmup.calibration_s)
    warm = warm_up(plan, load, window)
    load, last, driven = warm.load, warm.last, warm.record.windows
    most = scenario.load.max_connections if load.fills and given is None else 0
    while _wanting(scenario, last) and load.connections * 2 <= most:
        more = replace(load, connections=load.connections * 2)
        tried = [window(more)]
        if _better(scenario, more, last, tried[0]):
            tried.append(window(more))
        driven += len(tried)
        if len(tried) == 1 or not _better(scenario, more, last, tried[1]):
            break
        load, last = more, tried[1]
    return Warm(load, WarmUp(driven, warm.record.agreed), last)


def _better(scenario: Scenario, load: Load, before: Measurement, now: Measurement) -> bool:
    """Return whether more connections brought more; those not even accepted bring nothing."""
    answered = not now.sample.failed and not little(scenario.limits, now.sample, load)
    return answered and now.sample.throughput >= before.sample.throughput * WORTH_RAISING


def _wanting(scenario: Scenario, last: Measurement) -> bool:
    undisturbed = not disturbances(scenario.limits, last.meters["cores"])
    return undisturbed and nobody_saturated(last.meters["busy"])
