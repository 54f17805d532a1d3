"""Waiting while the machine is busy with others: on a shared host that comes and goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from race.run.rules import disturbances
from race.saved.model import Cell, Figures, Limits

PAUSE_SECONDS = 1.0

Look = Callable[[], Figures]
"""What is taken of the measured cores now, `steal` and `foreign`; empty: it cannot be seen."""


@dataclass
class Patience:
    """`left` seconds of waiting in this round, `limits.quiet_wait_s` at its start."""

    limits: Limits
    look: Look
    left: float = 0.0

    def renew(self) -> None:
        """A round begins."""
        self.left = self.limits.quiet_wait_s

    def disturbed(self, cell: Cell) -> str | None:
        """What the machine did to a cell, where there is patience left to wait for its end."""
        cores = cell.meters.get("cores")
        found = disturbances(self.limits, cores) if cores and cell.status == "invalid" else []
        return found[0] if found and self.left > 0 else None

    def wait(self) -> None:
        """Until the machine is quiet, or patience is at its end."""
        while self.left > 0:
            began = time.monotonic()
            seen = self.look()
            if not seen or not disturbances(self.limits, seen):
                return
            time.sleep(min(PAUSE_SECONDS, self.left))
            self.left -= time.monotonic() - began
