"""The records of an analysis, and their plain JSON."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

import msgspec

from race.analysis.sentence import Headline
from race.analysis.values import load_text, place, title
from race.saved.model import Cell, Discipline, Work
from race.saved.reader import SavedRace
from race.stats import signed_rank
from race.stats.effects import Design, Effect, Unmatched
from race.stats.estimate import Estimate
from race.stats.processes import Kept
from race.stats.ranking import Pair
from race.stats.verdict import Verdict

State = Literal[
    "ranked",
    "fixed-rate",
    "user-load",
    "at-least",
    "waiting",
    "unsupported",
    "invalid",
    "overloaded",
    "failed",
]
UNWRITTEN = {"json": False}  # metadata of fields that the JSON of an analysis leaves out


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and largest over rounds or cells."""

    median: float
    low: float
    high: float


def spread(numbers: Iterable[float | None]) -> Spread | None:
    """Return the spread of the numbers that are known; None without any."""
    found = sorted(number for number in numbers if number is not None)
    return Spread(statistics.median(found), found[0], found[-1]) if found else None


@dataclass(frozen=True, slots=True)
class Noise:
    """The A/A twin's ratio to its original; `measured_here` is False when it is another task's."""

    twin: str
    estimate: Estimate
    measured_here: bool


@dataclass(frozen=True, slots=True)
class Controls:
    """Groups of contenders that run the same code; `estimate` is of the two that differ most,
    `first` over `second`, with a ratio of 1 or more.
    """

    groups: tuple[tuple[str, ...], ...]
    first: str
    second: str
    estimate: Estimate

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all groups."""
        return tuple(label for group in self.groups for label in group)

    def hold(self, first: str, second: str) -> bool:
        """Return whether two run the same code."""
        return any({first, second} <= {*group} for group in self.groups)


@dataclass(frozen=True, slots=True)
class ContenderResult:
    """One contender in one comparison; `ratio`, `cpu_ratio` and `p99_ratio` (of times at a fixed
    rate) are to the comparison's reference.

    State "at-least": the party under test was not the limit as far as is known, but `limit` was;
    `throughput` is a lower bound, and `cpu_ratio` replaces `ratio`. State "waiting": the race goes
    on, and the first round is not over; `reason` has the figure so far. State "unsupported": the
    contender cannot do the task and was not run on it. `ranks` are the best and the worst possible
    rank (`stats.ranking`), `verdict` is on `ratio`, `cpu_verdict` on `cpu_ratio`. `saturated` is
    the party that was saturated most often, "nobody", or None where that is not known; `busy` is
    the median fraction of its cores that the party under test used. Of `ran` cells, `cells` count,
    in `rounds` rounds. `throughput` (units/s) spreads over rounds, `cpu_us` is CPU microseconds per
    unit by party (median of rounds), `latency_us` comes from the merged histograms, `utilisation`
    from Little's law; `facts` and `meters` are medians over cells.
    """

    label: str
    name: str
    factors: dict[str, str]
    state: State
    reason: str | None
    ranks: tuple[int, int] | None
    beats: tuple[str, ...]
    saturated: str | None
    limit: str | None
    busy: float | None
    cells: int
    ran: int
    rounds: int
    throughput: Spread | None
    ratio: Estimate | None
    verdict: Verdict | None
    cpu_us: dict[str, float]
    cpu_ratio: Estimate | None
    cpu_verdict: Verdict
    p99_ratio: Estimate | None
    latency_us: dict[str, float]
    histogram: list[tuple[float, int]]
    utilisation: float | None
    facts: dict[str, float]
    meters: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All contenders on one work, best first; those without a rank come last.

    `connections` are the fewest and the most that were used. Ratios are to `reference`, the race's
    `baseline` unless that has no rate here. `designs` are the factors of distinguishable
    contenders, by label. `margin` (log scale) follows from `noise`, the widest of the `twins`, and
    `cpu_margin`, which ratios of CPU time must exceed, from the CPU time of twins. `kept`,
    `cpu_kept` and `p99_kept` are what processes keep of each figure (`stats.processes`). A report
    remarks a result whose `utilisation` is farther from 1 than `little`.
    """

    work: Work
    connections: tuple[int, int]
    discipline: Discipline = field(metadata=UNWRITTEN)
    designs: Mapping[str, Design] = field(metadata=UNWRITTEN)
    baseline: str
    reference: str | None
    rounds: int
    noise: Noise | None
    twins: tuple[Noise, ...]
    controls: Controls | None
    kept: Kept = field(metadata=UNWRITTEN)
    cpu_kept: Kept = field(metadata=UNWRITTEN)
    p99_kept: Kept = field(metadata=UNWRITTEN)
    margin: float
    cpu_margin: float
    little: float
    results: list[ContenderResult]
    pairs: list[Pair]

    @property
    def closed(self) -> bool:
        """True for a closed loop, in which neither a rate nor a user load was given."""
        return self.work.load.closed

    @property
    def rated(self) -> bool:
        """True if a rate was given."""
        return self.work.load.rate is not None

    @property
    def ranked(self) -> bool:
        """True if any two contenders here were compared."""
        return bool(self.pairs)

    @property
    def alone(self) -> bool:
        """True if one contender ran against itself."""
        same = {(one.name, *sorted(one.factors.items())) for one in self.results}
        return len(same) == 1 < len(self.results)

    @property
    def replaced(self) -> bool:
        """True if another reference replaces the race's baseline, which has no rate here."""
        return self.reference not in (None, self.baseline)

    @property
    def title(self) -> str:
        """The title of the task."""
        return title(self.discipline, self.work.task)

    @property
    def place(self) -> str:
        """The task and what is special about its load."""
        return place(self.discipline, self.work)

    @property
    def load(self) -> str:
        """The load in a phrase, with the connections that were used."""
        fewest, most = self.connections
        used = msgspec.structs.replace(self.work.load, connections=most)
        text = load_text(used, self.discipline.unit)
        return text if fewest == most else f"{fewest:,} to {text}"

    @property
    def party(self) -> str:
        """The party under test, whose CPU time a unit costs."""
        return self.discipline.parties[0]

    @property
    def decided(self) -> bool:
        """True if there were two contenders, enough rounds and a margin."""
        return self.ranked and self.enough and math.isfinite(self.margin)

    @property
    def enough(self) -> bool:
        """True if there were enough rounds for an interval."""
        return self.rounds >= signed_rank.rounds_needed()

    @property
    def unbeaten(self) -> list[ContenderResult]:
        """The contenders that nobody beat, in order; none where nobody beat anybody."""
        if not any(item.beats for item in self.results):
            return []
        return [item for item in self.results if item.ranks and item.ranks[0] == 1]

    def result(self, label: str) -> ContenderResult | None:
        """Return the result of a contender; None where it did not run."""
        return next((item for item in self.results if item.label == label), None)

    @property
    def margin_percent(self) -> float:
        return 100 * (math.exp(self.margin) - 1)


@dataclass(frozen=True, slots=True)
class Trust:
    """The warnings of a race, and its disturbances; `little` counts cells outside Little's law.

    `no_result` says why there is none, where the machine disturbed most cells.
    """

    cells: dict[str, int]
    problems: list[str]
    steal: Spread | None
    foreign: Spread | None
    little: int
    warnings: list[str]
    no_result: str | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that reports show, with the race and its cells that count."""

    race: SavedRace
    counted: list[Cell]
    rounds: int
    headline: Headline | None
    comparisons: list[Comparison]
    effects: list[tuple[Work, Effect]]
    unmatched: list[Unmatched]
    trust: Trust

    @property
    def discipline(self) -> Discipline:
        """The discipline of the race."""
        return self.race.head.discipline

    @property
    def remarks(self) -> list[str]:
        """The result in a sentence or two, where there is one to say, and the warnings."""
        return [*filter(None, [self.result]), *self.trust.warnings]

    @property
    def result(self) -> str | None:
        """The headline, or why there is no result."""
        return self.trust.no_result or (self.headline.text if self.headline else None)

    def closed(self) -> list[Comparison]:
        """The comparisons of the closed loop."""
        return [comparison for comparison in self.comparisons if comparison.closed]

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs; the race is its name."""
        data: dict[str, Any] = {"race": self.race.head.race, "baseline": self.race.head.baseline}
        for name in ("rounds", "headline", "comparisons", "unmatched", "trust"):
            data[name] = plain(getattr(self, name))
        data["effects"] = [{"work": plain(work), **plain(effect)} for work, effect in self.effects]
        return data


def plain(value: Any) -> Any:
    """Return plain JSON of records: logs become ratios, infinity becomes None."""
    if isinstance(value, Estimate):
        return value.as_json()
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _fields(value: Any) -> dict[str, Any]:
    found = {
        one.name: plain(getattr(value, one.name))
        for one in fields(value)
        if one.metadata != UNWRITTEN
    }
    return {"text": value.text, **found} if isinstance(value, Headline) else found
