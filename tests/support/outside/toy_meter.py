"""A meter that counts how often it was read."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties
from race.saved.model import Figures


class Ticks:
    """A meter outside the project: ``race.machine.meters`` describes the methods."""

    unit = "tocks"

    def __init__(self) -> None:
        self._read = 0

    def read(self, parties: Parties) -> int:
        self._read += 1
        return self._read

    def between(
        self, before: int, after: int, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        return {"passed": after - before, "meters_before": len(found)}
