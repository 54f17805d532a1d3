"""What became of each cell: it counts, or why it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from race.analysis.model import Analysis
from race.saved.model import CALIBRATION, Cell

COUNTED = "counted"
CALIBRATED = "calibration"
REPLACED = "measured again"
LATE = "at a load not kept up with"
SPOKEN = {
    COUNTED: "counted",
    REPLACED: "measured again: the last measurement counts",
    LATE: "ok, but the load was not kept up with in another round",
}


class Fates:
    """The fate of every cell of a race; each cell has one, so that their numbers add up."""

    def __init__(self, analysis: Analysis) -> None:
        race = analysis.race
        last = {(one.round, one.label, one.work): id(one) for one in race.cells}
        self._last = set(last.values())
        self._counted = {id(cell) for cell in analysis.counted}
        self._measured = [cell for cell in race.cells if cell.round != CALIBRATION]

    def of(self, cell: Cell) -> str:
        """One of the words above, or the status of a cell that is not ok."""
        if cell.round == CALIBRATION:
            return CALIBRATED
        if id(cell) in self._counted:
            return COUNTED
        if id(cell) not in self._last:
            return REPLACED
        return LATE if cell.status == "ok" else cell.status

    def status(self, cell: Cell) -> str:
        """The cell's own; what is ok and does not count says why."""
        fate = self.of(cell)
        if fate == CALIBRATED:
            return fate
        return f"ok, {fate}" if cell.status == "ok" and fate != COUNTED else cell.status

    @property
    def measured(self) -> int:
        """All cells but those of the calibration."""
        return len(self._measured)

    @property
    def again(self) -> int:
        """How many measurements were replaced by a later one."""
        return self.tally.get(REPLACED, 0)

    @property
    def tally(self) -> Mapping[str, int]:
        """Fate to the number of its cells, those that count first; together `measured`."""
        found = Counter({COUNTED: 0})
        found.update(self.of(cell) for cell in self._measured)
        return found
