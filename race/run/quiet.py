"""Waits until other programs and virtual machines leave the measured cores alone.

On a shared host such disturbances come and go. After a disturbed cell a race waits for their end,
but no longer in each round than its limits say. After two disturbed rounds it pauses, and ends if
that does not help.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from race.errors import Disturbed
from race.run.rules import disturbances
from race.saved.model import Cell, Figures, Limits

PAUSE_SECONDS = 1.0
NOISY_ROUNDS = 2

CoreReading = Callable[[], Figures]
"""Returns what is taken of the measured cores now, `steal` and `foreign`; empty if unknown."""


@dataclass
class QuietWait:
    """The waiting of a race for a quiet machine; `left` are the seconds left for it in a round.

    `noisy` is how many rounds in a row were disturbed.
    """

    limits: Limits
    read_cores: CoreReading
    left: float = 0.0
    noisy: int = 0

    def new_round(self) -> None:
        """Allow the seconds of a round again."""
        self.left = self.limits.quiet_wait_s

    def disturbed(self, cell: Cell) -> str | None:
        """Return what the machine did to a cell that is lost by it; None if nothing."""
        cores = cell.meters.get("cores")
        found = disturbances(self.limits, cores) if cores and cell.status == "invalid" else []
        return found[0] if found else None

    def wait(self) -> bool:
        """Wait until the machine is quiet or no time is left; return whether it was seen quiet."""
        while self.left > 0:
            began = time.monotonic()
            seen = self.read_cores()
            if not seen or not disturbances(self.limits, seen):
                return True
            time.sleep(min(PAUSE_SECONDS, self.left))
            self.left -= time.monotonic() - began
        return False

    def needs_pause(self, cells: Sequence[Cell]) -> str | None:
        """Return what disturbed a round, given by its cells, if the one before was disturbed too.

        A round is disturbed if more than half of its cells are lost by it.
        """
        lost = [why for cell in cells if (why := self.disturbed(cell))]
        self.noisy = self.noisy + 1 if 2 * len(lost) > len(cells) else 0
        return lost[-1] if self.noisy >= NOISY_ROUNDS else None

    def pause(self) -> None:
        """Wait for a quiet machine; Disturbed if it does not become quiet."""
        self.left, self.noisy = self.limits.pause_s, 0
        if not self.wait():
            raise Disturbed
