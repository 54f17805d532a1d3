"""What a race has learned, and must not forget between two rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from race.saved.model import CALIBRATION, Cell, Load, Work

LONGER = 1.1
"""Cells end a little after their time; one that is longer than that was made longer."""

Spot = tuple[str, Work]
"""A contender's label and one of its works."""

Way = tuple[str, int]
"""A task and the depth at which it is pipelined: what one number of connections is found for."""


def way(work: Work) -> Way:
    """Also of a work at a fixed rate: it is driven like the one that found the capacity."""
    return work.task, work.load.pipeline


@dataclass
class Learned:
    """`connections` that a task takes, one number for all contenders: the most that any needs.

    `rates` at which its calibration saw a contender work; `seconds` that a cell takes, more than
    planned where that was needed; `faults` where a contender failed by itself once, `too_slow`
    where no length is enough, and why.
    """

    connections: dict[Way, int] = field(default_factory=dict)
    rates: dict[Spot, float] = field(default_factory=dict)
    seconds: dict[Spot, float] = field(default_factory=dict)
    faults: set[Spot] = field(default_factory=set)
    too_slow: dict[Spot, str] = field(default_factory=dict)

    def needs(self, work: Work, connections: int) -> None:
        """A contender needs so many on a work."""
        self.connections[way(work)] = max(connections, self.connections.get(way(work), 0))

    def load(self, work: Work) -> Load:
        """Its load with the connections that were found."""
        found = self.connections.get(way(work), work.load.connections)
        return replace(work.load, connections=found)

    def remember(self, cells: Iterable[Cell]) -> None:
        """Go on with the connections and lengths that an interrupted race had found."""
        for cell in cells:
            if cell.round == CALIBRATION and cell.connections_used is not None:
                self.needs(cell.work, cell.connections_used)
                self.rates[cell.label, cell.work] = cell.throughput or 0.0
            elif cell.seconds is not None and cell.seconds > LONGER * cell.load.duration_s:
                self.seconds.setdefault((cell.label, cell.work), round(cell.seconds, 1))
