"""Resident memory of each party's process tree after a load."""

from __future__ import annotations

import time
from collections.abc import Mapping

from race.discipline import Party, Sample
from race.machine.meters import HERE, Parties, read_tree
from race.saved.model import Figures

REST = 20
"""A reading that took a second is not repeated within so many seconds. A PostgreSQL with 200
connections takes 0.15 s, because the kernel walks the page tables of each process."""


class Memory:
    """Bytes by party: the sum of proportional sizes, so that shared pages count once."""

    unit = "bytes"

    def __init__(self) -> None:
        self._known: dict[tuple[str, int | None], tuple[float, int]] = {}

    def read(self, parties: Parties) -> dict[str, Party]:
        """Only who to ask: asking takes a while, and is done once, when nothing is measured."""
        return {name: party for name, party in parties.items() if party.pid is not None}

    def between(
        self,
        before: dict[str, Party],
        after: dict[str, Party],
        sample: Sample,
        found: Mapping[str, Figures],
    ) -> Figures:
        """Return the memory as it is now, or as it was a moment ago where asking takes long."""
        return {name: self._bytes(party) for name, party in after.items()}

    def _bytes(self, party: Party) -> int:
        tree = (party.machine.name if party.machine else HERE, party.pid)
        due, seen = self._known.get(tree, (0.0, 0))
        began = time.monotonic()
        if began >= due:
            seen = read_tree("resident_bytes", party)
            now = time.monotonic()
            self._known[tree] = now + REST * (now - began), seen
        return seen
