"""The record of one run: what was asked for, when, and what became of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from locustfiles.run import site
from locustfiles.run.planned import PlannedShape, fields_of, totals_of
from locustfiles.run.samples import Sample, Samples
from locustfiles.run.timeline import Timeline
from locustfiles.run.verdict import RunVerdict
from locustfiles.shapes.plan import extent

BY_HAND = "users"  # the shape of a run that a person steers


@dataclass
class LocustRun:
    """A run from Locust's `test_start` on; `users` are the names of its user classes.

    `reported`: its reports are written; `final`: with the last figures of every worker.
    `cpu_seconds` is what this process used for it.
    """

    shape: str
    fields: Mapping[str, str]
    users: list[str]
    host: str
    engine: str
    samples: Samples
    timeline: Timeline
    begun: float = field(default_factory=time.time)
    ended: float | None = None
    reported: bool = False
    final: bool = False
    finding: str | None = None
    verdict: RunVerdict = field(default_factory=RunVerdict)
    cpu_seconds: float | None = None
    _cpu_before: float = field(default_factory=time.process_time)

    def end(self) -> None:
        """Note that the run is over."""
        self.ended = time.time()
        self.cpu_seconds = time.process_time() - self._cpu_before

    def folder(self, reports: Path) -> Path:
        """Return the folder of its reports, with a name that sorts by time, in UTC."""
        moment = datetime.fromtimestamp(self.begun, UTC)
        return reports / f"{moment:%Y%m%d-%H%M%S-%f}-{self.shape}"

    def sampled(self) -> list[Sample]:
        """Return what server and database did during the run."""
        return self.samples.since(self.begun, self.ended or time.time())

    def lines(self) -> list[str]:
        """Return what a person must know of it, the verdict first."""
        verdict = f"{self.shape} on {self.engine}: {self.verdict}"
        return [verdict, *([self.finding] if self.finding else [])]


def begun(environment: Any, samples: Samples) -> LocustRun:
    """Return the run that begins now."""
    shape = environment.shape_class
    ours = isinstance(shape, PlannedShape)
    host = environment.host or ""
    return LocustRun(
        shape=type(shape).__name__ if shape else BY_HAND,
        fields=dict(fields_of(shape.kind, environment)) if ours else {},
        users=[one.__name__ for one in environment.user_classes],
        host=host,
        engine=site.engine(host),
        samples=samples,
        timeline=Timeline(lambda: totals_of(environment), lambda: environment.runner.user_count),
    )


def beginning(run: LocustRun, environment: Any) -> str:
    """Return the line that says what begins: shape, engine, users, how many and for how long."""
    plan, options = getattr(environment.shape_class, "plan", None), environment.parsed_options
    size = ""
    if plan:
        size = f", {extent(plan)}"
    elif options.num_users:
        size = f", {options.num_users} users" + (f", {options.run_time} s" * bool(options.run_time))
    return f"{run.shape} begins on {run.engine}: {', '.join(run.users)}{size}"


def conclude(run: LocustRun, environment: Any) -> None:
    """Note what the shape of a run found out."""
    plan = getattr(environment.shape_class, "plan", None)
    run.finding = plan.finding() if plan else None
