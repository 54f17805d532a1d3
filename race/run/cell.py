"""Measures one cell: check, warm up, read meters, drive, read meters, check, judge."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from race.discipline import Sample, Subject
from race.errors import CellFailed
from race.machine.meters import Meter, meters
from race.plan.order import Planned
from race.run.learned import LONGEST, ContenderWork, Learned, connection_key
from race.run.measure import Measurement, lasting, measure
from race.run.rules import bottleneck, judge, least_seconds, no_latency
from race.run.warmup import Warm, Window, raised, warm_up
from race.saved.model import Cell, Fault, Figures, Load, Status, Work
from race.scenario import Scenario

ROOM = 1.2
"""The factor by which a lengthened cell is longer than it must be."""


class CellStatus(NamedTuple):
    """The status of a measured cell, with its reason and the contender's fault."""

    status: Status
    reason: str | None = None
    fault: Fault | None = None


@dataclass(frozen=True)
class Cells:
    """Measures the cells of one race, one at a time."""

    scenario: Scenario
    learned: Learned = field(default_factory=Learned)

    @cached_property
    def _meters(self) -> Mapping[str, Meter]:
        return meters()

    def run(self, subject: Subject, planned: Planned) -> Cell:
        """Measure one cell and judge it; a failure becomes a failed cell with its reason."""
        began = _now()
        try:
            outcome = self._measure(subject, planned)
        except CellFailed as failure:
            return failed(planned, str(failure), began)
        cell = _cell(planned, outcome, began, self._status(subject, planned, outcome))
        self.learned.remember([cell])
        return cell

    def _status(self, subject: Subject, planned: Planned, outcome: _Outcome) -> CellStatus:
        """Return the status of a cell, which keeps its figures whatever the status is."""
        if outcome.measured.died:
            return CellStatus("failed", outcome.measured.died)
        try:
            subject.check(planned.work.task)
        except CellFailed as failure:
            return CellStatus("failed", str(failure))
        return self._judged(planned, outcome)

    def _judged(self, planned: Planned, outcome: _Outcome) -> CellStatus:
        """Return the status by the limits.

        A contender's own fault makes a cell invalid the first time and failed the second. A fixed
        rate that is not kept up with makes it overloaded at once, for that is a finding.
        """
        judged = judge(self.scenario.limits, outcome.load, outcome.measured)
        spot, reasons = (planned.contender.label, planned.work), "; ".join(judged.reasons)
        if not reasons:
            return CellStatus("ok")
        if not judged.own_fault:
            return CellStatus("invalid", reasons)
        if judged.too_slow:
            return self._short(spot, outcome.measured.sample, reasons)
        if judged.overloaded:
            offered = _offered(planned.work.load)
            return CellStatus("overloaded", f"did not keep up with {offered}: {reasons}")
        if spot in self.learned.faults:
            return CellStatus("failed", f"again: {reasons}")
        return CellStatus("invalid", reasons, "once")

    def _short(self, spot: ContenderWork, sample: Sample, reasons: str) -> CellStatus:
        """Return the verdict on a cell that was too short; its later cells last twice as long."""
        if self.learned.longer(spot):
            return CellStatus("invalid", reasons, "too short")
        return CellStatus("failed", _too_slow(sample, spot[1].load, self.scenario), "too slow")

    def calibrate(self, subject: Subject, planned: Planned) -> Cell:
        """Find the connections that a contender needs; return its last window as a cell."""
        began, work = _now(), planned.work
        try:
            subject.check(work.task)
            facts = subject.facts(work.task)
            window = self._window(subject, work.task)
            given = self.learned.given.get(connection_key(work))
            warm = raised(self.scenario, work.load, window, given)
            subject.check(work.task)
        except CellFailed as failure:
            return failed(planned, str(failure), began)
        seen = warm.last.sample.count
        status = CellStatus("ok") if seen else CellStatus("invalid", "nothing was answered")
        cell = _cell(planned, _Outcome(warm.last, warm.load, facts, warm), began, status)
        self.learned.remember([cell])
        return cell

    def discard(self, subject: Subject, planned: Planned) -> None:
        """Run a cell that is not saved, because the first after a start differs from later ones."""
        task, load = planned.work.task, self.learned.load(planned.work)
        with suppress(CellFailed):
            subject.check(task)
            measure(subject, self._meters, Work(task, load))
            subject.check(task)

    def _measure(self, subject: Subject, planned: Planned) -> _Outcome:
        work, spot = planned.work, (planned.contender.label, planned.work)
        if spot in self.learned.too_slow:
            raise CellFailed(self.learned.too_slow[spot])
        subject.check(work.task)
        facts = subject.facts(work.task)
        load = self.learned.load(work)
        warm = warm_up(self.scenario.warmup, load, self._window(subject, work.task))
        rate = self.learned.rates.get(spot) or warm.last.sample.throughput
        longer = lasting(Work(work.task, load), self._seconds(spot, load, rate))
        measured = measure(subject, self._meters, longer)
        return _Outcome(measured, longer.load, facts, warm)

    def _window(self, subject: Subject, task: str) -> Window:
        """Return the driver of a warm-up's windows; it raises CellFailed if a party dies."""

        def window(load: Load) -> Measurement:
            seen = measure(subject, self._meters, Work(task, load))
            if seen.died:
                raise CellFailed(seen.died)
            return seen

        return window

    def _seconds(self, spot: ContenderWork, load: Load, rate: float) -> float:
        """Return how long to drive: as planned, or longer if that is too short (`least_seconds`).

        The answer is the same for all rounds. A user load always takes the time of its shape.
        """
        planned = load.duration_s
        if spot not in self.learned.seconds:
            needed = 0.0 if load.user_load else least_seconds(self.scenario.limits, load, rate)
            longer = min(needed * ROOM, LONGEST * planned) if needed > planned else planned
            self.learned.seconds[spot] = longer
        return self.learned.seconds[spot]


@dataclass(frozen=True)
class _Outcome:
    """A measured cell before its verdict: the load as it was driven, facts, the warm-up."""

    measured: Measurement
    load: Load
    facts: Figures
    warm: Warm


def failed(planned: Planned, reason: str, began: str = "") -> Cell:
    """Return a cell without figures: it failed, or its subject does not start."""
    return Cell(
        round=planned.round,
        order=planned.order,
        label=planned.contender.label,
        task=planned.work.task,
        load=planned.work.load,
        started_at=began or _now(),
        status="failed",
        reason=reason,
    )


def _cell(planned: Planned, outcome: _Outcome, began: str, found: CellStatus) -> Cell:
    """Return a measured cell with all its figures."""
    sample, limit = outcome.measured.sample, bottleneck(outcome.measured)
    unanswered = no_latency(sample, outcome.load)
    return replace(
        failed(planned, "not judged", began),
        status=found.status,
        reason=found.reason,
        fault=found.fault,
        saturated=limit.saturated,
        saturated_unknown=limit.unknown,
        count=sample.count,
        seconds=sample.seconds,
        throughput=sample.throughput,
        bytes=sample.bytes,
        errors=dict(sample.errors),
        latency_us={} if unanswered else dict(sample.latency_us),
        histogram=[] if unanswered else list(sample.histogram),
        timeline=list(sample.timeline),
        by_name=dict(sample.by_name),
        no_latency=unanswered,
        meters=dict(outcome.measured.meters),
        facts=outcome.facts,
        connections_used=outcome.load.connections,
        driven_s=outcome.load.duration_s,
        busy_connections=sample.busy_connections,
        warm_up=outcome.warm.record,
    )


def _offered(load: Load) -> str:
    """Return the load that a contender did not keep up with, in words."""
    if load.user_load:
        return f"{load.connections} users of the shape {load.user_load.shape}"
    return f"{load.rate:,.0f}/s"


def _too_slow(sample: Sample, load: Load, scenario: Scenario) -> str:
    """Return the reason of a cell whose contender needs more time than a cell may take."""
    least = scenario.limits.samples
    seen = f"{sample.count} in {sample.seconds:.1f} s"
    if load.user_load:
        return f"too few for this shape: {seen}, where {least} are needed"
    if not sample.count:
        return f"too slow for this duration: {seen}, where {least} are needed"
    longer = math.ceil(10 * least / sample.throughput * ROOM) / 10
    return (
        f"too slow for this duration: {seen}, where {least} are needed: try --duration {longer:g}"
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
