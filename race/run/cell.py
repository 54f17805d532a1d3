"""One cell: check, warm up, read meters, drive, read meters, check, judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from msgspec.structs import replace

from race.discipline import Sample, Subject
from race.errors import CellFailed
from race.machine.meters import Meter, meters
from race.plan.order import Planned
from race.run.learned import Learned, Spot
from race.run.measure import Measured, lasting, measure
from race.run.rules import full, judge
from race.run.warmup import Warm, warm_up
from race.saved.model import Cell, Figures, Load, Status, Work
from race.scenario import Scenario

ROOM = 1.2
"""How much longer than just long enough a cell for few samples a second is made."""
LONGEST = 4.0
"""Nothing lasts longer than so many times what the scenario says."""


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
        try:
            subject.check(planned.work.task)
        except CellFailed as failure:
            return _cell(planned, outcome, began, "failed", str(failure))
        return _cell(planned, outcome, began, *self._judged(planned, outcome))

    def _judged(self, planned: Planned, outcome: _Outcome) -> tuple[Status, str | None]:
        """What a contender does wrong twice is its own failure, not a reason to repeat it.

        One that cannot serve a fixed rate has shown it at once, and that is a finding.
        """
        judged = judge(self.scenario.limits, outcome.load, outcome.measured)
        spot, reasons = (planned.contender.label, planned.work), "; ".join(judged.reasons)
        if not reasons:
            return "ok", None
        if not judged.own_fault:
            return "invalid", reasons
        if judged.too_slow:
            told = self.learned.too_slow[spot] = _too_slow(outcome.measured.sample, self.scenario)
            return "failed", told
        if judged.overloaded:
            return "overloaded", f"did not keep up with {planned.work.load.rate:,.0f}/s: {reasons}"
        if spot in self.learned.faults:
            return "failed", f"again: {reasons}"
        self.learned.faults.add(spot)
        return "invalid", reasons

    def _measure(self, subject: Subject, planned: Planned) -> _Outcome:
        work, spot = planned.work, (planned.contender.label, planned.work)
        if spot in self.learned.too_slow:
            raise CellFailed(self.learned.too_slow[spot])
        subject.check(work.task)
        facts = subject.facts(work.task)
        warm = self._warm_up(subject, spot)
        load = replace(work.load, connections=warm.connections)
        longer = lasting(Work(work.task, load), self._seconds(spot, warm.last.sample))
        measured = measure(subject, self._meters, longer)
        return _Outcome(measured, load, facts, warm)

    def _warm_up(self, subject: Subject, spot: Spot) -> Warm:
        _, work = spot
        known = self.learned.connections.get(spot)

        def window(load: Load) -> Measured:
            return measure(subject, self._meters, Work(work.task, load))

        warm = warm_up(self.scenario, work.load, known, window)
        if work.load.rate is None:
            self.learned.connections.setdefault(spot, warm.connections)
        return warm

    def _seconds(self, spot: Spot, last: Sample) -> float:
        """How long to drive: as planned, or longer where that is too short for enough samples.

        Found once, for all rounds.
        """
        planned = spot[1].load.duration_s
        if spot not in self.learned.seconds:
            needed = self.scenario.limits.samples / max(last.throughput, 1e-9)
            longer = min(needed * ROOM, LONGEST * planned) if needed > planned else planned
            self.learned.seconds[spot] = longer
        return self.learned.seconds[spot]


@dataclass(frozen=True)
class _Outcome:
    """A measured cell before it is judged: the load as it was driven, facts, the warm-up."""

    measured: Measured
    load: Load
    facts: Figures
    warm: Warm


def failed(planned: Planned, reason: str, began: str = "") -> Cell:
    """A cell without a number: it failed, or was not run because its subject does not start."""
    return Cell(
        round=planned.block.round,
        pass_=planned.block.pass_,
        order=planned.order,
        label=planned.contender.label,
        task=planned.work.task,
        load=planned.work.load,
        started_at=began or _now(),
        status="failed",
        reason=reason,
    )


def _cell(
    planned: Planned, outcome: _Outcome, began: str, status: Status, reason: str | None
) -> Cell:
    """With all its figures, whatever they are worth."""
    sample = outcome.measured.sample
    return replace(
        failed(planned, "not judged", began),
        status=status,
        reason=reason,
        full=full(outcome.measured),
        count=sample.count,
        seconds=sample.seconds,
        throughput=sample.throughput,
        bytes=sample.bytes,
        errors=dict(sample.errors),
        latency_us=dict(sample.latency_us),
        histogram=list(sample.histogram),
        meters=dict(outcome.measured.meters),
        facts=outcome.facts,
        connections_used=outcome.load.connections,
        busy_connections=sample.busy_connections,
        warm_up=outcome.warm.record,
    )


def _too_slow(sample: Sample, scenario: Scenario) -> str:
    """Found once, and the round is not run again for it: the next time would be as slow."""
    least = scenario.limits.samples
    seen = f"{sample.count} in {sample.seconds:.1f} s"
    if not sample.count:
        return f"too slow for this duration: {seen}, where {least} are needed"
    longer = least / sample.throughput * ROOM
    return (
        f"too slow for this duration: {seen}, where {least} are needed: try --duration {longer:.0f}"
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
