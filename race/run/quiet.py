"""Waits until other programs and virtual machines leave the measured cores alone.

On a shared host such disturbances come and go. After a disturbed cell a race waits for their end,
but no longer in each round than its limits say.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from race.run.rules import disturbances
from race.saved.model import Cell, Figures, Limits

PAUSE_SECONDS = 1.0

CoreReading = Callable[[], Figures]
"""Returns what is taken of the measured cores now, `steal` and `foreign`; empty if unknown."""


@dataclass
class QuietWait:
    """The waiting of a race for a quiet machine; `left` are the seconds left for it in a round."""

    limits: Limits
    read_cores: CoreReading
    left: float = 0.0

    def new_round(self) -> None:
        """Allow the seconds of a round again."""
        self.left = self.limits.quiet_wait_s

    def disturbed(self, cell: Cell) -> str | None:
        """Return what the machine did to a cell; None if nothing, or if no time is left to wait."""
        cores = cell.meters.get("cores")
        found = disturbances(self.limits, cores) if cores and cell.status == "invalid" else []
        return found[0] if found and self.left > 0 else None

    def wait(self) -> None:
        """Wait until the machine is quiet or no time is left."""
        while self.left > 0:
            began = time.monotonic()
            seen = self.read_cores()
            if not seen or not disturbances(self.limits, seen):
                return
            time.sleep(min(PAUSE_SECONDS, self.left))
            self.left -= time.monotonic() - began
