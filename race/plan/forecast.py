"""A race that can start, and what it will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from msgspec.structs import replace

from race.discipline import Discipline
from race.plan.pace import DEFAULT, Pace, driving
from race.plan.works import closed_works
from race.saved.model import CALIBRATION, Contender, Load, Work
from race.scenario import Scenario


@dataclass(frozen=True)
class Plan:
    """Who runs, who is left out and why (`notes`), and how long it takes at a `pace`."""

    discipline: Discipline
    scenario: Scenario
    contenders: Sequence[Contender]
    notes: Sequence[str]
    pace: Pace = DEFAULT

    @property
    def works(self) -> list[Work]:
        """The closed-loop cells of each contender."""
        return closed_works(self.scenario, self.discipline.tasks)

    @property
    def rounds(self) -> int:
        """The planned rounds; fixed rates take one more, which finds the capacities."""
        return self.scenario.rounds + self.scenario.open_loop

    @property
    def calibrations(self) -> int:
        """The cells of the calibration, which do not count."""
        return len(self.contenders) * len(self.works)

    @property
    def cells(self) -> int:
        """How many cells the planned rounds have; open-loop ones are a forecast."""
        rounds = range(CALIBRATION + 1, self.rounds + 1)
        return len(self.contenders) * sum(len(self._loads(number)) for number in rounds)

    def seconds(self) -> float:
        """A forecast of the calibration and the planned rounds."""
        rounds = range(CALIBRATION, self.rounds + 1)
        each = (self.expected(number, load) for number in rounds for load in self._loads(number))
        return len(self.contenders) * sum(each)

    def usual(self) -> float:
        """Seconds of a cell of the last round, on the mean."""
        return fmean(self.expected(self.rounds, load) for load in self._loads(self.rounds))

    def expected(self, number: int, load: Load) -> float:
        """Seconds of a cell in a round, with its share of what its contender's start takes."""
        pace, cells = self.pace, len(self._loads(number))
        found = driving(self.scenario.warmup, number, load) + pace.cell_s
        if number == CALIBRATION:
            return found + pace.start_s / cells
        if self.scenario.starts_anew(number):
            dropped = fmean(one.duration_s for one in self._loads(number))
            return found + (pace.restart_s + dropped) / cells
        return found

    def _loads(self, number: int) -> list[Load]:
        """Of a contender's cells in a round; those at fixed rates are a forecast."""
        closed = [work.load for work in self.works]
        if number <= 1 or not self.scenario.open_loop:
            return closed
        plan = self.scenario.load
        rated = replace(closed[0], rate=1.0, duration_s=plan.open_duration_s)
        rates = len(plan.rates) + len(plan.rates_of_slowest) + len(plan.rates_of_own)
        return [rated] * (rates * len(self.scenario.tasks))
