"""What a race has learned, and must not forget between two rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from race.saved.model import CALIBRATION, Cell, Load, Work

LONGEST = 4.0
"""Nothing lasts longer than so many times what the scenario says."""

ContenderWork = tuple[str, Work]
"""A contender's label and one of its works."""

ConnectionKey = tuple[str, int, int]
"""A task, the depth at which it is pipelined, and connections that are fixed, or 0: what one number
of connections is found for.
"""


def connection_key(work: Work) -> ConnectionKey:
    """Also of a work at a fixed rate: it is driven like the one that found the capacity."""
    load = work.load
    return work.task, load.pipeline, load.connections if load.fixed else 0


@dataclass
class Learned:
    """`connections` that a task takes, one number for all contenders: the most that any needs.

    `rates` at which its calibration saw a contender work; `seconds` that a cell takes, more than
    planned where that was needed; `faults` where a contender failed by itself once, `too_slow`
    where no length is enough, and why.
    """

    connections: dict[ConnectionKey, int] = field(default_factory=dict)
    rates: dict[ContenderWork, float] = field(default_factory=dict)
    seconds: dict[ContenderWork, float] = field(default_factory=dict)
    faults: set[ContenderWork] = field(default_factory=set)
    too_slow: dict[ContenderWork, str] = field(default_factory=dict)

    def load(self, work: Work) -> Load:
        """Its load with the connections that were found."""
        found = self.connections.get(connection_key(work), work.load.connections)
        return replace(work.load, connections=found)

    def longer(self, spot: ContenderWork) -> bool:
        """Whether its cells may still be made longer; a shape takes as long as it does."""
        load = spot[1].load
        return load.user_load is None and self.seconds[spot] < LONGEST * load.duration_s

    def remember(self, cells: Iterable[Cell]) -> None:
        """Learn from cells: from each one as it is measured, or from all of an interrupted race, in
        their order. So a race that is resumed knows what it would have known.

        Also from those that were measured again later: the first time may have been the fault.
        """
        for cell in cells:
            if cell.round == CALIBRATION:
                self._calibrated(cell)
            else:
                self._measured(cell)

    def _calibrated(self, cell: Cell) -> None:
        """What failed has found nothing."""
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
