"""What took the measured cores' time beside the race: the machine's host, other processes."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.cores import allowed
from race.machine.meters import Parties
from race.machine.proc import CoreTime, core_time_between, core_times, foreign_fraction
from race.saved.model import Figures


class Cores:
    """Fractions of the time of the cores that the parties use: `steal` and `foreign`."""

    unit = "fraction"

    def read(self, parties: Parties) -> dict[int, CoreTime]:
        """Ticks of the cores since boot."""
        used = frozenset[int]().union(*(party.cores for party in parties.values()))
        return core_times(used or allowed())

    def between(
        self,
        before: dict[int, CoreTime],
        after: dict[int, CoreTime],
        sample: Sample,
        found: Mapping[str, Figures],
    ) -> Figures:
        """What is neither idle nor ours is foreign."""
        passed = core_time_between(before, after)
        ours = sum(found["cpu_ns"].values())
        return {
            "steal": passed.steal / passed.total,
            "foreign": foreign_fraction(passed, ours),
        }
