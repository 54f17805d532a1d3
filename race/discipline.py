"""The boundary of the measuring core: what a discipline of racing tells it and does for it.

A discipline knows what is raced: the sticker site on its engines, or database drivers. The core
asks it what can run here, starts a subject, asks which processes to meter, checks a task, drives
it, and closes the subject; nothing else. ``DISCIPLINES`` is the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from race.errors import CellFailed, unknown
from race.saved.head import OtherMachine
from race.saved.model import Contender, Figures, Moment, UnitSummary, Work
from race.scenario import Scenario
from runtime.plugin import Plugin

DISCIPLINES = {
    "web": Plugin("race.web.discipline:SiteDiscipline"),
    "tools": Plugin("toolbench.discipline:Tools"),
    "app": Plugin("race.app.discipline:AppDiscipline"),
}


@dataclass(frozen=True)
class Task:
    """Something that every contender can do; `pipelines` when requests may be sent ahead.

    `ignores` are factors that change nothing about it: contenders that differ in those alone run
    the same code here, and whatever tells them apart is noise. `text` says in a sentence or two
    what one unit of it does.
    """

    title: str
    pipelines: bool = False
    ignores: Sequence[str] = ()
    text: str = ""


class Machine(Protocol):
    """Another machine, as the meters read it."""

    @property
    def name(self) -> str:
        """The name of the machine, which no other has in this race."""

    def read_cores(self, cores: Iterable[int]) -> Any:
        """Return the time of cores since boot, as `race.machine.proc.read_cores` does; of all cores
        if none are given.
        """

    def read_tree(self, what: str, pid: int | None) -> Any:
        """Return a reading of a process tree, as `race.machine.trees` does."""

    def clocks(self) -> Any:
        """Return the CPU time of processes that are not ours, as `proc.clocks` does."""

    def traffic(self) -> Sequence[int]:
        """Return the bytes received and sent since boot."""

    def network(self) -> Figures:
        """Return the microseconds of a `round_trip` to the other end of the party's connections,
        where that is known, and of the `clock_offset` to ours with its `clock_uncertainty`.
        """


@dataclass(frozen=True)
class Party:
    """A participant of a cell: its main process, whose tree is metered, and the cores it runs on.

    `pid` is None for what only runs while a load is driven, or out of reach; no cores: it is not
    pinned. `machine` is the one that it runs on; None is this one.
    """

    pid: int | None
    cores: frozenset[int] = frozenset()
    machine: Machine | None = None

    @property
    def places(self) -> frozenset[Hashable]:
        """Its cores, told apart from those of other machines."""
        where = self.machine.name if self.machine else None
        return frozenset((where, core) for core in self.cores) if where else self.cores


@dataclass(frozen=True)
class Sample:
    """The measurements of a load.

    `count` units went well in `seconds`; `errors` by kind. Latencies are microseconds, the
    histogram is pairs (upper bound, count). `busy_connections` is the mean number of connections
    that waited for an answer, counted from the latencies (None where it cannot be). `cpu_ns` has
    what the processes used, by party, that only ran for this load; `beside_ns` how much of that was
    before or after it (start, sorting), where that is known. `process_connections` is how many
    connections each process of the party under test had open in the middle of the load, where they
    were counted. `problems` are reasons of the contender's own why the load does not count.
    `timeline` and `by_name` are those of a user load (`model.Cell`).
    """

    count: int
    seconds: float
    errors: Mapping[str, int] = field(default_factory=dict)
    latency_us: Mapping[str, float] = field(default_factory=dict)
    histogram: Sequence[tuple[float, int]] = ()
    timeline: Sequence[Moment] = ()
    by_name: Mapping[str, UnitSummary] = field(default_factory=dict)
    busy_connections: float | None = None
    bytes: int | None = None
    cpu_ns: Mapping[str, int] = field(default_factory=dict)
    beside_ns: Mapping[str, int] = field(default_factory=dict)
    process_connections: Sequence[int] = ()
    problems: Sequence[str] = ()

    @property
    def throughput(self) -> float:
        """Units a second."""
        return self.count / self.seconds if self.seconds > 0 else 0.0

    @property
    def failed(self) -> int:
        """Errors of all kinds."""
        return sum(self.errors.values())


class Broken(CellFailed):
    """A party died under a load; `sample` is what was measured until then."""

    def __init__(self, reason: str, sample: Sample) -> None:
        super().__init__(reason)
        self.sample = sample


@dataclass(frozen=True)
class Choice:
    """The part of a scenario that can run here; `left_out` says what cannot and why.

    `cannot` is what a contender has nothing for, by label and task, with the reason: it is not run.
    `machines` are those of parties that run on other ones.
    """

    scenario: Scenario
    contenders: Sequence[Contender]
    left_out: Sequence[str] = ()
    cannot: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    machines: Mapping[str, OtherMachine] = field(default_factory=dict)


class Finding(NamedTuple):
    """A line of `race doctor`: `good` is False where something is missing or too noisy, None where
    it is left out by design or choice; `text` says what to do. `needed`: without it the default
    race cannot run, or measures nothing.
    """

    subject: str
    good: bool | None
    text: str
    needed: bool = False


class Subject(Protocol):
    """One contender's life, from a start to an end."""

    def parties(self) -> Mapping[str, Party]:
        """Return the participants, the one under test first."""

    def alive(self) -> bool:
        """Return whether it can be driven; False once it has ended by itself."""

    def resume(self) -> None:
        """Move it onto its cores, for its turn."""

    def pause(self) -> None:
        """Move it off the measured cores, for another's turn; it stays alive."""

    def check(self, task: str) -> None:
        """Raise CellFailed if the contender does not do the task right."""

    def drive(self, work: Work) -> Sample:
        """Load it with one task and return what was measured.

        Raises CellFailed when a party died (Broken if something was measured by then), NotReady
        when a longer load may go well.
        """

    def facts(self, task: str) -> Figures:
        """Return what is known of a task beside the load, by name: requests to the database."""

    def close(self) -> None:
        """End it and all that was started for it, within a bounded time."""


Start = Callable[[Contender], Subject]
"""Starts a contender; CellFailed when it does not start."""


class Discipline(Protocol):
    """A kind of race. Names are the discipline's own words, as people read them."""

    @property
    def unit(self) -> str:
        """The unit that is counted: "requests"."""

    @property
    def contender(self) -> str:
        """The word for a contender: "engine"; files and options say "engines"."""

    @property
    def task(self) -> str:
        """The word for a task: "page"."""

    @property
    def parties(self) -> Sequence[str]:
        """The parties whose processes are metered, the one under test first."""

    @property
    def scenario(self) -> type[Scenario]:
        """The class of its scenarios."""

    def headline(self, scenario: Any) -> str | None:
        """Return the task that the first sentence of a report is about, where it was raced."""

    def factors(self, scenario: Any) -> Mapping[str, Sequence[str]]:
        """Return the levels of each factor, the plainest first; none for one in natural order."""

    def tasks(self, scenario: Any) -> Mapping[str, Task]:
        """Return the tasks that contenders can be raced on, in order."""

    def level_texts(self, scenario: Any) -> Mapping[str, Mapping[str, str]]:
        """Return what levels mean whose names do not say it, by factor and level, for reports."""

    def choose(self, scenario: Any) -> Choice:
        """Return what can run here; raises RaceError if a name is unknown or nothing can drive."""

    def open(self, scenario: Any, contenders: Sequence[Contender]) -> AbstractContextManager[Start]:
        """Hold what contenders share for the length of a race; raises RaceError if that fails."""

    def versions(self) -> Mapping[str, str | None]:
        """Versions of the programs around the contenders; None for what is not installed."""

    def findings(self) -> Sequence[Finding]:
        """Return what is there and what is missing, for `race doctor`."""


def discipline(name: str) -> Discipline:
    """The discipline of that name; RaceError names the nearest one when there is none."""
    if name not in DISCIPLINES:
        raise unknown("discipline", name, DISCIPLINES)
    made: Discipline = DISCIPLINES[name].load()()
    return made
