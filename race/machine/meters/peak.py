"""Meters the peak of the resident memory of the party under test during a load."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties, first_of, read_tree
from race.saved.model import Figures


class Peak:
    """The sum of the peaks (VmHWM) of the processes in a tree, in bytes.

    Shared memory counts once for each process. Processes that only lived during the load are not
    included.
    """

    unit = "bytes"

    def read(self, parties: Parties) -> Figures:
        """Read the peaks since the last reading and reset them.

        The reading is empty if the kernel does not allow the reset.
        """
        first = first_of(parties)
        most = None if first.pid is None else read_tree("peak_bytes", first)
        return {} if most is None else {next(iter(parties)): most}

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the peaks during the load alone."""
        return {name: most for name, most in after.items() if name in before}
