"""Keeps what a race learns from its cells: connections, rates, durations and faults."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from race.saved.model import CALIBRATION, Cell, Load, Work

LONGEST = 4.0
"""The most times its planned duration that a cell may be made to last."""

ContenderWork = tuple[str, Work]
"""A contender's label and one of its works."""

ConnectionKey = tuple[str, int, int]
"""The key of a number of connections: task, pipeline depth, and fixed connections or 0.
"""


def connection_key(work: Work) -> ConnectionKey:
    """Return the key of a work; one at a fixed rate has that of the one that found its capacity."""
    load = work.load
    return work.task, load.pipeline, load.connections if load.fixed else 0


@dataclass
class Learned:
    """The facts from earlier cells of a race that its later cells need.

    `connections` of a task: one number for all contenders, the most that any needs. `rates`: the
    throughput in the calibration. `seconds`: the duration of a cell, more than planned if that was
    too short. `faults`: the contenders and works with one fault of their own. `too_slow`: those
    for which no duration is enough, with the reason.
    """

    connections: dict[ConnectionKey, int] = field(default_factory=dict)
    rates: dict[ContenderWork, float] = field(default_factory=dict)
    seconds: dict[ContenderWork, float] = field(default_factory=dict)
    faults: set[ContenderWork] = field(default_factory=set)
    too_slow: dict[ContenderWork, str] = field(default_factory=dict)

    def load(self, work: Work) -> Load:
        """Return the load of a work with the connections that were found."""
        found = self.connections.get(connection_key(work), work.load.connections)
        return replace(work.load, connections=found)

    def longer(self, spot: ContenderWork) -> bool:
        """Return whether its cells may still be made longer; a user load's never are."""
        load = spot[1].load
        return load.user_load is None and self.seconds[spot] < LONGEST * load.duration_s

    def remember(self, cells: Iterable[Cell]) -> None:
        """Learn from cells in their order: from one that was measured, or from a resumed race's.

        Cells that were measured again later count too, since they may have shown a fault.
        """
        for cell in cells:
            if cell.round == CALIBRATION:
                self._calibrated(cell)
            else:
                self._measured(cell)

    def _calibrated(self, cell: Cell) -> None:
        """Learn from a cell of the calibration; a failed one has found nothing."""
        if cell.connections_used is not None:
            known = self.connections.get(connection_key(cell.work), 0)
            self.connections[connection_key(cell.work)] = max(cell.connections_used, known)
            self.rates[cell.label, cell.work] = cell.throughput or 0.0

    def _measured(self, cell: Cell) -> None:
        spot = cell.label, cell.work
        if cell.driven_s is not None:
            self.seconds[spot] = cell.driven_s
        if cell.fault == "once":
            self.faults.add(spot)
        elif cell.fault == "too short":
            self.seconds[spot] = min(LONGEST * cell.load.duration_s, 2 * self.seconds[spot])
        elif cell.fault == "too slow":
            self.too_slow[spot] = cell.reason or ""
