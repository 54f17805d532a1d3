"""A race that can start, and what it will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from race.discipline import Discipline
from race.plan.works import closed_works
from race.saved.model import Contender, Work
from race.scenario import Scenario

# What a start and the checks around a cell take here; only the forecast depends on them.
BLOCK_SECONDS = 2.0
CELL_SECONDS = 0.25
USUAL_WINDOWS = 2.5


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
    def cells(self) -> int:
        """How many cells the planned rounds have; open-loop ones are a forecast."""
        closed = len(self.works)
        if not self.scenario.open_loop:
            return 2 * len(self.contenders) * self.scenario.rounds * closed
        return 2 * len(self.contenders) * (closed + self.scenario.rounds * self._open_cells())

    def seconds(self) -> float:
        """A forecast of the planned rounds."""
        scenario, each = self.scenario, 2 * len(self.contenders)
        warm = scenario.warmup.window_s * min(USUAL_WINDOWS, scenario.warmup.windows)
        closed = BLOCK_SECONDS + sum(
            work.load.duration_s + warm + CELL_SECONDS for work in self.works
        )
        if not scenario.open_loop:
            return each * scenario.rounds * closed
        cell = scenario.load.open_duration_s + warm + CELL_SECONDS
        rounds = scenario.rounds * (BLOCK_SECONDS + cell * self._open_cells())
        return each * (closed + rounds)

    def _open_cells(self) -> int:
        load = self.scenario.load
        rates = len(load.rates) + len(load.rates_of_slowest) + len(load.rates_of_own)
        return rates * len(self.scenario.tasks)
