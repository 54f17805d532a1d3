"""The parts of an analysis as records, and their plain JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

from race.analysis.values import Key, page_name
from race.saved.reader import Load
from race.stats import signed_rank
from race.stats.effects import Effect
from race.stats.estimate import Estimate
from race.stats.ranking import Pair

State = Literal["ranked", "fixed-rate", "generator-bound", "invalid", "overloaded", "failed"]


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and largest over rounds."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Noise:
    """The A/A twin's ratio to its original; `measured_here` is False when lent by another page."""

    twin: str
    estimate: Estimate
    measured_here: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """One contender in one contest; `ratio` and `cpu_ratio` are to the contest's reference.

    `p_holm` is the p of "equal to the reference", adjusted over all that were compared with it.
    `rps` spreads over rounds, `cpu_us` is CPU microseconds per request by part (median of rounds),
    `latency_us` comes from all counted cells' histograms merged, `utilisation` from Little's law.
    """

    label: str
    engine: str
    python: str
    state: State
    reason: str | None
    rank: int | None
    beats: tuple[str, ...]
    rounds: int
    rps: Spread | None
    ratio: Estimate | None
    p_holm: float | None
    cpu_us: dict[str, float]
    cpu_ratio: Estimate | None
    latency_us: dict[str, float]
    histogram: list[tuple[float, int]]
    utilisation: float | None
    database_requests: float | None
    rss_bytes: float | None

    @property
    def web(self) -> str:
        return self.engine.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Contest:
    """All contenders on one page under one load, best first; those without a rank come last.

    `margin` is on the log scale; `holm_rounds` is how many rounds it takes for an adjusted p to
    fall under 5 % with this many `comparisons` to the reference.
    """

    key: Key
    reference: str | None
    rounds: int
    comparisons: int
    holm_rounds: int
    noise: Noise | None
    margin: float
    standings: list[Standing]
    pairs: list[Pair]

    @property
    def ranked(self) -> bool:
        """Whether any two contenders here were compared."""
        return bool(self.pairs)

    @property
    def title(self) -> str:
        return page_name(self.key.page)

    @property
    def decided(self) -> bool:
        """Whether there were two contenders and enough rounds to tell them apart."""
        enough = self.rounds >= signed_rank.rounds_needed() and math.isfinite(self.margin)
        return self.ranked and enough

    @property
    def margin_percent(self) -> float:
        return 100 * (math.exp(self.margin) - 1)


@dataclass(frozen=True, slots=True)
class EffectOn:
    page: str
    load: Load
    effect: Effect


@dataclass(frozen=True, slots=True)
class Headline:
    """The race in one sentence: `winner` against `other`; `declared` means it won by the rule."""

    winner: str
    other: str
    page: str
    estimate: Estimate
    declared: bool

    @property
    def text(self) -> str:
        page = page_name(self.page)
        if self.declared:
            return f"{self.winner} serves {page} {self.estimate} as fast as {self.other}"
        if self.estimate.bounded:
            return f"{self.winner} and {self.other} cannot be told apart on {page}: {self.estimate}"
        return (
            f"{self.winner} served {page} {self.estimate} as fast as {self.other} "
            f"in {self.estimate.n} round{'s' * (self.estimate.n != 1)}: too few to call it"
        )


@dataclass(frozen=True, slots=True)
class Validity:
    """How far the race can be trusted; `little` counts closed-loop cells outside Little's law."""

    cells: dict[str, int]
    rejected: list[str]
    problems: list[str]
    steal: Spread | None
    foreign: Spread | None
    little: int
    warnings: list[str]


def plain(value: Any) -> Any:
    """Plain JSON of records: logs become ratios, infinity becomes null."""
    if isinstance(value, Estimate):
        return value.as_json()
    if isinstance(value, Key):
        return {"page": value.page, "load": plain(value.load)}
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _fields(value: Any) -> dict[str, Any]:
    found = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return {"text": value.text, **found} if isinstance(value, Headline) else found
