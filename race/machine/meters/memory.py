"""Resident memory of each party's process tree after a load."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties
from race.machine.proc import read, tree
from race.saved.model import Figures


class Memory:
    """Bytes by party: the sum of proportional sizes, so that shared pages count once."""

    unit = "bytes"

    def read(self, parties: Parties) -> dict[str, int]:
        """Only who to ask: asking takes a while, and is done once, when nothing is measured."""
        return {name: party.pid for name, party in parties.items() if party.pid is not None}

    def between(
        self,
        before: dict[str, int],
        after: dict[str, int],
        sample: Sample,
        found: Mapping[str, Figures],
    ) -> Figures:
        """Return the memory as it is now."""
        return {name: resident_bytes(pid) for name, pid in after.items()}


def resident_bytes(pid: int) -> int:
    """Proportional set size of a process tree."""
    total = 0
    for member in tree(pid):
        for line in read(member, "smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total
