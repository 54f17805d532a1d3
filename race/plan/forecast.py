"""The plan of a race that can start, with a forecast of the time that it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from msgspec.structs import replace

from race.discipline import Discipline
from race.plan.contenders import TWIN_MARK
from race.plan.order import Kind, kind_of
from race.plan.works import closed_works
from race.saved.head import OtherMachine
from race.saved.model import CALIBRATION, Contender, Load, Work
from race.scenario import Scenario

CELL_SECONDS = 0.15
"""Seconds of a cell beside its load: checks, starts of generators, cells that are measured again.
The median of the published races."""
START_SECONDS = 2.0
WINDOWS = 2
"""Most warm-ups agree after two windows."""


@dataclass(frozen=True)
class Plan:
    """The contenders and works of a race, with those `left_out` and the reasons.

    `cannot` has the tasks that a contender does not support, by label and task, with the reason.
    `machines` are those of parties that run on other ones.
    """

    discipline: Discipline
    scenario: Scenario
    contenders: Sequence[Contender]
    left_out: Sequence[str]
    cannot: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    machines: Mapping[str, OtherMachine] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """Return what will not run and why, in lines."""
        lacking = [
            f"unsupported: {label} on {task}: {reason}"
            for label, lacks in self.cannot.items()
            for task, reason in lacks.items()
        ]
        return [*(f"left out: {text}" for text in self.left_out), *lacking]

    @property
    def works(self) -> list[Work]:
        """Return the closed-loop works of a contender that can do all tasks."""
        return closed_works(self.scenario, self.discipline.tasks(self.scenario))

    def able(self, contender: Contender, works: Iterable[Work]) -> list[Work]:
        """Return the works that a contender, or the original of a twin, can do."""
        lacks = self.cannot.get(contender.label.removesuffix(TWIN_MARK), {})
        return [work for work in works if work.task not in lacks]

    @property
    def rounds(self) -> int:
        """Return the planned rounds; fixed rates take one more, which finds the capacities."""
        return self.scenario.rounds + self.scenario.open_loop

    @property
    def calibrations(self) -> int:
        """Return the number of cells of the calibration, which do not count."""
        return sum(map(self._doing, self.works))

    @property
    def cells(self) -> int:
        """Return the number of cells of the planned rounds; open-loop ones are a forecast."""
        rounds = range(CALIBRATION + 1, self.rounds + 1)
        return sum(self._doing(work) for number in rounds for work in self.works_of(number))

    def seconds(self) -> float:
        """Return a forecast of the calibration and the planned rounds."""
        return sum(
            self._doing(work) * self.expected(number, work.load)
            for number in range(CALIBRATION, self.rounds + 1)
            for work in self.works_of(number)
        )

    def usual(self) -> float:
        """Return the mean seconds of a cell of the last round."""
        return fmean(self.expected(self.rounds, work.load) for work in self.works_of(self.rounds))

    def expected(self, number: int, load: Load) -> float:
        """Return the seconds of a cell in a round, with its share of its contender's start."""
        works, warmup = self.works_of(number), self.scenario.warmup
        windows = min(WINDOWS, warmup.windows)
        if number == CALIBRATION:
            return windows * warmup.calibration_s + CELL_SECONDS + START_SECONDS / len(works)
        found = windows * warmup.window_s + load.duration_s + CELL_SECONDS
        if self.scenario.starts_anew(number):
            dropped = fmean(work.load.duration_s for work in works)
            return found + (START_SECONDS + dropped) / len(works)
        return found

    def kinds(self) -> Counter[Kind]:
        """Return how many cells of each kind are planned, the calibration's too."""
        return Counter(
            kind_of(number, one.label, work)
            for number in range(CALIBRATION, self.rounds + 1)
            for one in self.contenders
            for work in self.able(one, self.works_of(number))
        )

    def expected_of(self, kind: Kind) -> float:
        """Return the seconds that a cell of a kind was planned for."""
        calibrates, rated = kind[0], kind[-1]
        seconds = self.scenario.load.open_duration_s if rated else self.scenario.load.duration_s
        load = replace(self.works[0].load, duration_s=seconds)
        return self.expected(CALIBRATION if calibrates else CALIBRATION + 1, load)

    def _doing(self, work: Work) -> int:
        """Return how many contenders can do a work."""
        return sum(len(self.able(one, [work])) for one in self.contenders)

    def works_of(self, number: int) -> list[Work]:
        """Return a contender's works in a round; the number at fixed rates is a forecast."""
        closed = self.works
        if number <= 1 or not self.scenario.open_loop:
            return closed
        plan = self.scenario.load
        rated = replace(closed[0].load, rate=1.0, duration_s=plan.open_duration_s)
        rates = len(plan.rates) + len(plan.rates_of_slowest) + len(plan.rates_of_own)
        offered = [Work(task, rated) for task in self.scenario.tasks for _ in range(rates)]
        return [*closed, *offered] if plan.closed_too else offered
