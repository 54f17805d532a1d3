"""The records of a saved race: one definition for what is written, read, checked and published.

Those of run.json alone are in `head`. `race/saved/schema.json` is made from these classes (`python
-m race.saved.schema`). Units are in the names. Fields that are not known are ignored, so an older
reader can open a file that only gained fields.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

SCHEMA: Literal[3] = 3
CALIBRATION = 0
"""The round that finds what cells need, and warms up; its cells never count."""

Status = Literal["ok", "invalid", "overloaded", "failed"]
Fault = Literal["once", "too short", "too slow"]
"""A fault of the contender: it spoiled a cell for the first time, it needs a longer cell, or one
longer than there may be.
"""
Sharing = Literal["own", "one", "any"]
"""Which cores parties get: their own; one for all of them; any, so that nothing is pinned."""
PATTERNS: dict[str, str] = {}
"""The rule that a text must keep, in words, by the pattern that it matches."""


def matching(pattern: str, words: str) -> Meta:
    """Return the constraint of a text that matches a pattern; `words` say it to a person."""
    PATTERNS[pattern] = words
    return Meta(pattern=pattern)


Name = Annotated[str, Meta(min_length=1)]
Time = Annotated[str, matching(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "a time is 2026-01-31T12:00:00")]
Count = Annotated[int, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
Figures = dict[str, int | float]

NOBODY = "nobody"
"""`Cell.saturated` where no party was: more connections might have raised the throughput."""

SATURATED = 0.9
"""The used share of its cores from which a party is saturated. A core that idles less than a tenth
of the time has no capacity left: the remaining gaps are between wake-ups."""

GENERATOR = "generator"


class UserLoad(Struct, frozen=True):
    """A load by users, who do one thing after the other and pause in between.

    `user` is the kind of users, `shape` how many there are over time, with its `options` (name and
    value).
    """

    user: Name
    shape: Name
    options: tuple[tuple[str, str], ...] = ()


class Load(Struct, frozen=True):
    """The load of a cell: a closed loop, `rate` units/s offered, or a `user_load`.

    `pipeline` requests are sent before the first answer. `fixed` connections are a part of the
    question and never raised: so many units are under way at a time. A user load's
    `connections` are as many as its users at most, and `duration_s` is what its shape takes.
    """

    generator: Name
    connections: Annotated[int, Meta(ge=1)]
    threads: Annotated[int, Meta(ge=1)] = 1
    pipeline: Annotated[int, Meta(ge=1)] = 1
    rate: Positive | None = None
    duration_s: Positive = 2.0
    user_load: UserLoad | None = None
    fixed: bool = False

    @property
    def closed(self) -> bool:
        """Return whether every connection always waits for an answer.

        The contender then sets the pace; otherwise the clock or the users do.
        """
        return self.rate is None and self.user_load is None

    @property
    def fills(self) -> bool:
        """Return whether connections are raised until a party is saturated.

        If that was not the party under test, the throughput is a lower bound.
        """
        return self.closed and not self.fixed


class Work(Struct, frozen=True):
    """One task under one load, on which contenders are compared; a cell is one of a round."""

    task: Name
    load: Load


class WarmUp(Struct, frozen=True):
    """Windows driven before a cell, and whether two in a row agreed; None where one was enough."""

    windows: Count
    agreed: bool | None


class Moment(Struct, frozen=True, kw_only=True):
    """A cell `at` seconds after its begin: the `users` of a user load; of the last seconds before
    it `throughput` (units/s that went well) and percentiles of all times, in microseconds;
    `connections` that the contender had open to its database, and how many of them were `active`
    (not idle). None is what is not known.
    """

    at: Amount
    users: Count = 0
    throughput: Amount
    p50_us: Amount | None = None
    p95_us: Amount | None = None
    connections: Count | None = None
    active: Count | None = None


class UnitSummary(Struct, frozen=True, kw_only=True):
    """The units of one name in a cell: those that went well, errors, and latencies of both."""

    count: Count
    errors: Count = 0
    latency_us: dict[str, Amount] = {}


class Cell(Struct, frozen=True, kw_only=True):
    """One contender at one task under one load in one round; round 0 is the calibration.

    `count` units were done in `seconds`, `throughput` a second. `histogram` is pairs (upper bound
    in microseconds, count). `meters` has the figures of each meter, by party or by name; `facts`
    are what the discipline knows of the task, such as requests to the database for each page.
    `connections_used` is what `load.connections` was raised to, `driven_s` what `load.duration_s`
    was; `busy_connections` is the mean number on which the generator waited (for Little's law).

    `saturated` is the party whose core was busy for at least 90 % of the time, "nobody", or None
    where that is not known, with the reason in `saturated_unknown`. Unless it is the first party,
    or connections are fixed, `throughput` is a lower bound. `no_latency` says why a pipelined cell
    has no latency. `timeline` has the moments of a user load or of a watched load; `by_name` has
    the units of a user load by their names.

    A cell that is not ok has a `reason`: invalid (the machine, or a first fault), failed, or
    overloaded (offered a fixed rate or a user load that it did not keep up with). It keeps what was
    measured of it all the same; None and empty is what was not measured. `fault` is what the rest
    of the race has to know of it, also when it is resumed.
    """

    schema: Literal[3] = SCHEMA
    round: Count
    order: Count
    label: Name
    task: Name
    load: Load
    started_at: Time
    status: Status
    reason: str | None = None
    fault: Fault | None = None
    saturated: Name | None = None
    saturated_unknown: str | None = None
    count: Count | None = None
    seconds: Amount | None = None
    throughput: Amount | None = None
    bytes: Count | None = None
    errors: dict[str, Count] = {}
    latency_us: dict[str, Amount] = {}
    histogram: list[tuple[float, int]] = []
    timeline: list[Moment] = []
    by_name: dict[str, UnitSummary] = {}
    no_latency: str | None = None
    meters: dict[str, Figures] = {}
    facts: Figures = {}
    connections_used: Count | None = None
    driven_s: Positive | None = None
    busy_connections: Amount | None = None
    warm_up: WarmUp | None = None

    def __post_init__(self) -> None:
        if self.status == "ok" and not self.throughput:
            raise ValueError("'throughput' of a cell with status ok is not above zero")
        if self.status != "ok" and not self.reason:
            raise ValueError(f"a cell with status {self.status} has no 'reason'")

    @property
    def work(self) -> Work:
        """The task and load that the cell is compared on."""
        return Work(self.task, self.load)

    @property
    def limit(self) -> str | None:
        """The party that was saturated, with the generator where that was saturated as well."""
        generating = self.metered("busy", GENERATOR) or 0.0
        alone = self.saturated in (None, NOBODY, GENERATOR) or generating < SATURATED
        return self.saturated if alone else f"{self.saturated} and {GENERATOR}"

    def metered(self, meter: str, what: str) -> float | None:
        """One figure of one meter; None where it was not measured."""
        return self.meters.get(meter, {}).get(what)

    @property
    def steal(self) -> float | None:
        """Fraction of the measured cores' time that the machine's host took."""
        return self.metered("cores", "steal")

    @property
    def foreign(self) -> float | None:
        """Fraction of the measured cores' time that other processes took; a difference of clocks,
        around zero and of either sign where there are none.
        """
        return self.metered("cores", "foreign")


class Contender(Struct, frozen=True, kw_only=True):
    """One line of a race. `name` is what the discipline starts, `factors` its levels by factor;
    `aa` marks the A/A twin, a contender that runs twice. `described` is False where the factors do
    not say all that sets it apart: what runs is known by its name alone. `facts` are what no factor
    says and comparisons ignore, such as the parser of HTTP.
    """

    label: Name
    name: Name
    factors: dict[str, str] = {}
    aa: bool = False
    described: bool = True
    facts: dict[str, str] = {}


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits beyond which a cell says nothing; it is then measured again at the end of its round,
    at most `reruns` times. After one that the machine disturbed the race waits for a quiet moment,
    for at most `quiet_wait_s` in a round. After two rounds in a row of which the machine disturbed
    more than half it pauses for at most `pause_s`, and ends if it is no quieter then.

    `steal` and `foreign` are fractions of the measured cores' time, `errors` of the units,
    `little` the difference between open connections and those seen busy; `samples` are units.
    """

    steal: Amount = 0.2
    foreign: Amount = 0.1
    errors: Amount = 0.001
    samples: Count = 100
    little: Amount = 0.3
    reruns: Annotated[int, Meta(ge=0, le=1000)] = 2
    quiet_wait_s: Amount = 60
    pause_s: Amount = 30


class Discipline(Struct, frozen=True, kw_only=True):
    """The words and factors of a discipline, saved for reports, which do not import its code.

    `unit` is what is counted ("requests"); `contender` and `task` are the discipline's own words
    ("engine", "page"); `parties` are whose processes are metered, the one under test first;
    `factors` has the levels of each, the plainest first (empty: in natural order); `tasks` the
    title of each, in order; `headline` the task that the first sentence is about, where it was
    raced; `meters` the unit of each meter; `ignores` the factors that change nothing about a task,
    so that contenders which differ in those alone are controls there. `task_texts` say what one
    unit of a task does, `level_texts` (by factor, then level) what a level means where its name
    does not say it; races of earlier versions have neither.
    """

    name: Name
    unit: str
    contender: str
    task: str
    parties: list[str]
    factors: dict[str, list[str]]
    tasks: dict[str, str]
    headline: str | None = None
    meters: dict[str, str] = {}
    ignores: dict[str, list[str]] = {}
    task_texts: dict[str, str] = {}
    level_texts: dict[str, dict[str, str]] = {}
