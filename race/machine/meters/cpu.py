"""Meters the CPU time of each party's process tree, and of the harness itself."""

from __future__ import annotations

import time
from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties, read_tree
from race.saved.model import Figures

HARNESS = "harness"


class Cpu:
    """Nanoseconds by party, with those of children that were waited for."""

    unit = "ns"

    def read(self, parties: Parties) -> Figures:
        """Read the totals since each process began."""
        found: Figures = {
            name: read_tree("used_ns", party)
            for name, party in parties.items()
            if party.pid is not None
        }
        # This clock is without children that were waited for, since generators are among them.
        return {**found, HARNESS: time.process_time_ns()}

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the differences, and the time of processes that only ran for the load."""
        passed = {name: max(0, now - before.get(name, 0)) for name, now in after.items()}
        return {**passed, **sample.cpu_ns}
