"""Keeps what a race learns from its cells: connections, rates, durations and faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from race.saved.model import CALIBRATION, Cell, Load, Work

LONGEST = 4.0
"""The most times its planned duration that a cell may be made to last."""

ContenderWork = tuple[str, Work]
"""A contender's label and one of its works."""


def connection_key(work: Work) -> str:
    """Return what a number of connections is for, such as "good", "ugly x24" or "wide c10".

    A work at a fixed rate has the key of the one that found its capacity.
    """
    load = work.load
    text = work.task if load.pipeline == 1 else f"{work.task} x{load.pipeline}"
    return f"{text} c{load.connections}" if load.fixed else text


def calibrated(cells: Iterable[Cell]) -> dict[str, int]:
    """Return the connections that the calibration of a race found, by `connection_key`."""
    learned = Learned()
    learned.remember(cells)
    return learned.connections


@dataclass
class Learned:
    """The facts from earlier cells of a race that its later cells need.

    `connections` of a task: one number for all contenders, the most that any needs. `given` are
    those of another race, which the calibration takes as they are. `rates`: the
    throughput in the calibration. `seconds`: the duration of a cell, more than planned if that was
    too short. `faults`: the contenders and works with one fault of their own. `too_slow`: those
    for which no duration is enough, with the reason.
    """

    given: Mapping[str, int] = field(default_factory=dict)
    connections: dict[str, int] = field(default_factory=dict)
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
