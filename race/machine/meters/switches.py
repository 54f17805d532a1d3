"""Meters the context switches of the party under test."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties, first_of, read_tree
from race.saved.model import Figures


class Switches:
    """Voluntary switches, when a thread waited, and involuntary ones, when it was preempted."""

    unit = "count"

    def read(self, parties: Parties) -> Figures:
        """Read the totals over the living threads of its process tree."""
        found: Figures = read_tree("switches", first_of(parties))
        return found

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the differences."""
        return {kind: max(0, after[kind] - before[kind]) for kind in after}
