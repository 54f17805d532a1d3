"""What a race has learned, and must not forget between two rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from race.saved.model import CALIBRATION, Cell, Work

LONGER = 1.1
"""Cells end a little after their time; one that is longer than that was made longer."""

Spot = tuple[str, Work]
"""A contender's label and one of its works."""


@dataclass
class Learned:
    """`connections` that a work takes, one number for all contenders: the most that any needs.

    `seconds` that a cell takes, more than planned where that was needed; `faults` where a contender
    failed by itself once, `too_slow` where no length is enough, and why.
    """

    connections: dict[Work, int] = field(default_factory=dict)
    seconds: dict[Spot, float] = field(default_factory=dict)
    faults: set[Spot] = field(default_factory=set)
    too_slow: dict[Spot, str] = field(default_factory=dict)

    def needs(self, work: Work, connections: int) -> None:
        """A contender needs so many on a work."""
        self.connections[work] = max(connections, self.connections.get(work, 0))

    def remember(self, cells: Iterable[Cell]) -> None:
        """Go on with the connections and lengths that an interrupted race had found."""
        for cell in cells:
            if cell.round == CALIBRATION and cell.connections_used is not None:
                self.needs(cell.work, cell.connections_used)
            elif cell.seconds is not None and cell.seconds > LONGER * cell.load.duration_s:
                self.seconds.setdefault((cell.label, cell.work), round(cell.seconds, 1))
