"""Resident memory of each party's process tree after a load."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Party, Sample
from race.machine.meters import Parties, read_tree
from race.saved.model import Figures


class Memory:
    """Bytes by party: the sum of proportional sizes, so that shared pages count once."""

    unit = "bytes"

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
        """Return the memory as it is now."""
        return {name: read_tree("resident_bytes", party) for name, party in after.items()}
