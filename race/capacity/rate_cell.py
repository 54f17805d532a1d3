"""Measures one cell at a rate, and says whether the promise was kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from race.capacity.record import Promise, RateCell
from race.capacity.threshold import CAP
from race.discipline import Sample, Subject
from race.errors import CellFailed
from race.machine.meters import Meter, meters
from race.run.measure import Measurement, measure
from race.run.rules import disturbances
from race.saved.model import GENERATOR, SATURATED, Load, Work
from race.scenario import Scenario

LATE = 0.01
"""The share that may be late: what is promised is the 99th percentile."""
ROOM = 2
"""Connections for so many times what is under way where all requests take as long as promised."""
FEWEST_CONNECTIONS = 16
GENERATOR_BOUND = "the generator was saturated"


@dataclass(frozen=True)
class RateCells:
    """Measures the cells of a search, each `seconds` long."""

    scenario: Scenario
    promise: Promise
    seconds: float

    @cached_property
    def _meters(self) -> Mapping[str, Meter]:
        return meters()

    def load(self, rate: float) -> Load:
        """Return the load of a rate. Its connections are so many that the rate is offered as long
        as the promise is kept.
        """
        plan = self.scenario.load
        needed = math.ceil(ROOM * rate * self.promise.p99_us / 1e6)
        connections = max(FEWEST_CONNECTIONS, min(needed, plan.max_connections))
        return Load(plan.open_generator, connections, 1, 1, rate, self.seconds)

    def run(self, subject: Subject, planned: RateCell) -> RateCell:
        """Measure a cell. A contender that fails or dies has broken its promise."""
        load = self.load(planned.rate)
        try:
            subject.check(planned.task)
            measured = measure(subject, self._meters, Work(planned.task, load))
        except CellFailed as failure:
            return replace(planned, excess=CAP, reason=str(failure))
        found = self._counted(planned, measured.sample)
        found = replace(found, busy=dict(measured.meters["busy"]))
        if why := self._unusable(measured, found):
            return replace(found, excess=None, reason=why)
        return replace(found, reason=measured.died or "")

    def _counted(self, planned: RateCell, sample: Sample) -> RateCell:
        due, failed = sample.count + sample.failed, sample.failed
        late = failed + slower(sample, self.promise.p99_us)
        return replace(
            planned,
            due=due,
            late=late,
            failed=failed,
            p99_us=sample.latency_us.get("p99"),
            excess=excess(self.promise, due, late, failed),
        )

    def _unusable(self, measured: Measurement, found: RateCell) -> str:
        """Return why a cell says nothing of the contender; "" if it does."""
        if taken := disturbances(self.scenario.limits, measured.meters["cores"]):
            return "; ".join(taken)
        first = next(iter(measured.layout), "")
        generating, serving = (found.busy.get(one, 0.0) for one in (GENERATOR, first))
        broken = found.excess is None or found.excess >= 1
        if broken and generating >= SATURATED > serving:
            return GENERATOR_BOUND
        return ""


def slower(sample: Sample, limit_us: float) -> int:
    """Return how many answers took longer, from the buckets: of the one with the limit, a part."""
    number, lower = 0.0, 0.0
    for upper, count in sample.histogram:
        if upper > limit_us:
            number += count * min(1.0, (upper - limit_us) / max(upper - lower, 1.0))
        lower = upper
    return round(number)


def excess(promise: Promise, due: int, late: int, failed: int) -> float:
    """Return how many times as many requests broke the promise as may."""
    if not due:
        return CAP
    errors = failed / due / promise.errors if promise.errors else math.inf if failed else 0.0
    return min(CAP, max(late / due / LATE, errors))
