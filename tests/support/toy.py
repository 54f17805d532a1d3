"""A discipline that measures nothing real, for tests of the core: toys of a known speed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from race.discipline import Choice, Finding, Party, Sample, Start, Task
from race.errors import CellFailed
from race.saved.model import Contender, Figures, Work
from race.scenario import Scenario

SPEEDS = {"fast": 4000.0, "slow": 1000.0}


@dataclass
class Toy:
    """`race.discipline.Subject`: does a given number of things a second, in no time."""

    name: str
    toys: Toys
    living: bool = True

    def parties(self) -> Mapping[str, Party]:
        """Nobody is metered."""
        return {"toy": Party(self.toys.pid)}

    def alive(self) -> bool:
        """Until a load kills it."""
        return self.living

    def resume(self) -> None:
        """Taken from the shelf."""
        self.toys.said.append(f"resume {self.name}")

    def pause(self) -> None:
        """Back onto it."""
        self.toys.said.append(f"pause {self.name}")

    def check(self, task: str) -> None:
        """Right, unless it is to be wrong."""
        self.toys.said.append(f"check {self.name} {task}")
        if self.name in self.toys.wrong:
            raise CellFailed(f"{task} is wrong")

    def drive(self, work: Work) -> Sample:
        """Its speed, for as long as it is asked."""
        self.toys.said.append(f"drive {self.name} {work.task} {work.load.duration_s:g}")
        if self.name in self.toys.fatal:
            self.living = False
            raise CellFailed("it broke")
        speed = self.toys.speeds.get(self.name, 1000.0)
        seconds = work.load.duration_s
        errors = self.toys.errors.get(self.name, 0)
        return Sample(round(speed * seconds), seconds, errors={"odd": errors})

    def facts(self, task: str) -> Figures:
        """Return one finding."""
        return {"wheels": 4}

    def close(self) -> None:
        """Put away."""
        self.toys.said.append(f"close {self.name}")


@dataclass
class Toys:
    """`race.discipline.Discipline`; what is said to its subjects is kept in `said`."""

    speeds: dict[str, float] = field(default_factory=lambda: dict(SPEEDS))
    errors: dict[str, int] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)
    fatal: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)
    pid: int | None = None

    unit = "turns"
    contender = "toy"
    task = "game"
    parties = ("toy",)
    scenario = Scenario

    def headline(self, scenario: Any) -> None:
        """Prefer no task."""

    def factors(self, scenario: Any) -> Mapping[str, Sequence[str]]:
        """One, with two levels."""
        return {"speed": ("slow", "fast")}

    def tasks(self, scenario: Any) -> Mapping[str, Task]:
        """Two tasks."""
        return {"run": Task("Run", pipelines=True), "jump": Task("Jump", text="Both feet.")}

    def level_texts(self, scenario: Any) -> Mapping[str, Mapping[str, str]]:
        """A text for one of the two levels."""
        return {"speed": {"slow": "takes its time"}}

    def choose(self, scenario: Any) -> Choice:
        """Choose every toy."""
        found = [Contender(label=name, name=name, factors={"speed": name}) for name in self.speeds]
        return Choice(scenario, found)

    @contextmanager
    def open(self, scenario: Any, contenders: Sequence[Contender]) -> Iterator[Start]:
        """Hold nothing, and give the function that starts a toy."""
        yield self.start

    def start(self, contender: Contender) -> Toy:
        """Start the toy, unless it is broken."""
        self.said.append(f"start {contender.label}")
        if contender.name in self.broken:
            raise CellFailed("it does not start")
        return Toy(contender.name, self)

    def versions(self) -> Mapping[str, str | None]:
        """Return no versions."""
        return {}

    def findings(self) -> Sequence[Finding]:
        """Return one finding."""
        return [Finding("toys", True, "are here")]


def scenario(**changes: Any) -> Scenario:
    """A small race of toys, on a machine whose noise does not matter: toys are driven in no time,
    and one tick of the clock is many times that.
    """
    from msgspec import convert

    least = {
        "name": "toys",
        "title": "Toys",
        "discipline": "toys",
        "contenders": ["*"],
        "tasks": ["run"],
        "rounds": 2,
        "baseline": "slow",
        "load": {"duration_s": 1.0, "connections": 4, "max_connections": 100},
        "warmup": {"window_s": 0.5, "windows": 2},
        "limits": {"steal": 1e9, "foreign": 1e9, "samples": 200, "quiet_wait_s": 0},
    }
    return convert({**least, **changes}, Scenario)
