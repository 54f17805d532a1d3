"""One run: what was asked for, when, and what became of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from locustfiles.run.planned import PlannedShape, fields_of, load_of
from locustfiles.run.samples import Sample, Samples
from locustfiles.run.timeline import Timeline
from locustfiles.run.verdict import Verdict

# Of a run that a person steers by hand.
BY_HAND = "users"


@dataclass
class Run:
    """From Locust's test_start on; ``users`` are the names of the user classes that ran.

    ``reported``: its reports are written; ``final``: with the last figures of every worker.
    ``cpu_seconds`` is what this process used for it.
    """

    shape: str
    fields: Mapping[str, str]
    users: list[str]
    host: str
    samples: Samples
    timeline: Timeline
    begun: float = field(default_factory=time.time)
    ended: float | None = None
    reported: bool = False
    final: bool = False
    finding: str | None = None
    verdict: Verdict = field(default_factory=Verdict)
    cpu_seconds: float | None = None
    _cpu_before: float = field(default_factory=time.process_time)

    def end(self) -> None:
        """It is over."""
        self.ended = time.time()
        self.cpu_seconds = time.process_time() - self._cpu_before

    def folder(self, reports: Path) -> Path:
        """Where its reports go: a name that sorts by time, in UTC."""
        moment = datetime.fromtimestamp(self.begun, UTC)
        return reports / f"{moment:%Y%m%d-%H%M%S-%f}-{self.shape}"

    def sampled(self) -> list[Sample]:
        """What server and database did during the run."""
        return self.samples.since(self.begun, self.ended or time.time())

    def lines(self) -> list[str]:
        """What a person must know of it, the verdict first."""
        return [str(self.verdict), *([self.finding] if self.finding else [])]


def begun(environment: Any, samples: Samples) -> Run:
    """The run that begins now."""
    shape = environment.shape_class
    ours = isinstance(shape, PlannedShape)
    return Run(
        shape=type(shape).__name__ if shape else BY_HAND,
        fields=dict(fields_of(shape.kind, environment)) if ours else {},
        users=[one.__name__ for one in environment.user_classes],
        host=environment.host or "",
        samples=samples,
        timeline=Timeline(lambda: load_of(environment), lambda: environment.runner.user_count),
    )


def conclude(run: Run, environment: Any) -> None:
    """Note what its shape found out."""
    plan = getattr(environment.shape_class, "plan", None)
    run.finding = plan.finding() if plan else None
