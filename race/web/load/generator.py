"""What the harness asks of a load generator, and what it gets back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from race.saved.model import Load

ERROR_KINDS = ("connect", "read", "write", "timeout", "status")


@dataclass(frozen=True)
class Target:
    """Where a cell's load goes: base URL, page name and path, interpreter of the contender."""

    url: str
    page: str
    path: str
    python: str


@dataclass(frozen=True)
class Sample:
    """What a generator measured.

    `requests` are answers without error in `seconds`; latencies are microseconds, the histogram is
    pairs (upper bound, count). `busy_connections` is the mean number of connections that waited for
    an answer, counted from the latencies (None where it cannot be). `votes` counts posted votes by
    fate: acknowledged, refused, unanswered.
    """

    requests: int
    seconds: float
    bytes: int
    errors: dict[str, int]
    latency_us: dict[str, float] = field(default_factory=dict)
    histogram: list[tuple[float, int]] = field(default_factory=list)
    busy_connections: float | None = None
    votes: dict[str, int] | None = None

    @property
    def rps(self) -> float:
        """Good answers per second."""
        return self.requests / self.seconds if self.seconds > 0 else 0.0

    @property
    def failed(self) -> int:
        """Errors of all kinds."""
        return sum(self.errors.values())


class Generator(Protocol):
    """A program that drives a server for a while and prints what it saw."""

    closed_loop: bool
    """A new request waits for the answer before it; so Little's law can be checked."""
    interruptible: bool
    """SIGINT ends a run early and keeps its results."""
    serverless: bool
    """Measures the interpreter itself: no server is started and no page checked."""

    def missing(self) -> str | None:
        """Why it cannot run here and what to do about it; None when it can."""
        ...

    def command(self, target: Target, load: Load) -> list[str]:
        """The command line of one run of `load.duration_s` seconds."""
        ...

    def parse(self, output: str, load: Load) -> Sample:
        """Read its output of that load; ValueError when there is no result in it."""
        ...
