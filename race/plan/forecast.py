"""A race that can start, and what it will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from race.discipline import Discipline
from race.plan.works import closed_works
from race.saved.model import Contender, Work
from race.scenario import Scenario

# What a start, the counting of its requests and the checks around a cell take here; only the
# forecast depends on them.
START_SECONDS = 2.0
RESTART_SECONDS = 1.5
CELL_SECONDS = 0.1
USUAL_WINDOWS = 2.0


@dataclass(frozen=True)
class Plan:
    """Who runs, who is left out and why (`notes`), and how long it takes."""

    discipline: Discipline
    scenario: Scenario
    contenders: Sequence[Contender]
    notes: Sequence[str]

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
        closed, rounds = len(self.works), self.scenario.rounds
        if not self.scenario.open_loop:
            return len(self.contenders) * rounds * closed
        return len(self.contenders) * (closed + rounds * self._open_cells())

    def starts_anew(self, number: int) -> bool:
        """Whether all contenders are started again before a round."""
        every = self.scenario.restart
        return every > 0 and number > 1 and (number - 1) % every == 0

    def seconds(self) -> float:
        """A forecast of the calibration and the planned rounds."""
        scenario = self.scenario
        window = scenario.warmup.window_s
        warm = window * min(USUAL_WINDOWS, scenario.warmup.windows) + CELL_SECONDS
        closed = sum(work.load.duration_s + warm for work in self.works)
        each = START_SECONDS + len(self.works) * (warm + window)
        restarts = sum(map(self.starts_anew, range(1, self.rounds + 1)))
        each += restarts * (RESTART_SECONDS + max(one.load.duration_s for one in self.works))
        if scenario.open_loop:
            cell = scenario.load.open_duration_s + warm
            each += closed + scenario.rounds * cell * self._open_cells()
        else:
            each += scenario.rounds * closed
        return len(self.contenders) * each

    def _open_cells(self) -> int:
        load = self.scenario.load
        rates = len(load.rates) + len(load.rates_of_slowest) + len(load.rates_of_own)
        return rates * len(self.scenario.tasks)
