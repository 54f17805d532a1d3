"""Meters what each process of the party under test did, where it has several, such as workers.

Figures are by place, "1" for the process with the largest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from race.discipline import Sample
from race.machine.meters import Parties, first_of, read_tree
from race.saved.model import Figures

Times = dict[int, int]
"""CPU nanoseconds by process."""


class ProcessTime:
    """The CPU time of each process; one that began during the load counts from its begin."""

    unit = "ns"

    def read(self, parties: Parties) -> Times:
        """Read the clock of each process of the party under test."""
        return dict(read_tree("clock_pairs", first_of(parties)))

    def between(
        self, before: Times, after: Times, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the differences; none of a single process, which other meters have."""
        used = [max(0, now - before.get(pid, 0)) for pid, now in after.items()]
        return _by_place(used) if len(used) > 1 else {}


class ProcessConnections:
    """The connections of each process, as the discipline counted them during the load."""

    unit = "count"

    def read(self, parties: Parties) -> None:
        """Read nothing: only a load has connections."""

    def between(
        self, before: None, after: None, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return what the sample has."""
        return _by_place(sample.process_connections)


def _by_place(numbers: Iterable[int]) -> Figures:
    ordered = sorted(numbers, reverse=True)
    return {str(place): number for place, number in enumerate(ordered, start=1)}
