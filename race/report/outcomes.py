"""The outcome of each cell: it counts, or why it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from race.analysis.model import Analysis
from race.saved.model import CALIBRATION, Cell

COUNTED = "counted"
CALIBRATED = "calibration"
REPLACED = "measured again"
LATE = "at a load not kept up with"
EXPLAINED = {
    REPLACED: "measured again: the last measurement counts",
    LATE: "ok, but the load was not kept up with in another round",
}


class Outcomes:
    """The outcomes of all cells of a race; each cell has one, so that their numbers add up."""

    def __init__(self, analysis: Analysis) -> None:
        race = analysis.race
        last = {(one.round, one.label, one.work): id(one) for one in race.cells}
        self._last = set(last.values())
        self._counted = {id(cell) for cell in analysis.counted}
        measured = [cell for cell in race.cells if cell.round != CALIBRATION]
        self.measured = len(measured)
        """The number of all cells but those of the calibration."""
        self.tally: Mapping[str, int] = {
            COUNTED: 0,
            **Counter(self.outcome(cell) for cell in measured),
        }
        """Outcome to the number of its cells; together they are `measured`."""

    def outcome(self, cell: Cell) -> str:
        """Return one of the words above, or the status of a cell that is not ok."""
        if cell.round == CALIBRATION:
            return CALIBRATED
        if id(cell) in self._counted:
            return COUNTED
        if id(cell) not in self._last:
            return REPLACED
        return LATE if cell.status == "ok" else cell.status

    def status(self, cell: Cell) -> str:
        """Return the cell's own status; one that is ok and does not count says why."""
        outcome = self.outcome(cell)
        if outcome == CALIBRATED:
            return outcome
        return f"ok, {outcome}" if cell.status == "ok" and outcome != COUNTED else cell.status

    @property
    def again(self) -> int:
        """The number of measurements that were replaced by a later one."""
        return self.tally.get(REPLACED, 0)
