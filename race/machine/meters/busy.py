"""How full each party's cores were while the load ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from race.discipline import Sample
from race.machine.cores import allowed
from race.machine.meters import Parties
from race.machine.proc import TICK_NS, CoreTime, core_time_between, core_times
from race.saved.model import Figures


class Reading(NamedTuple):
    """Whose cores they are, and their ticks since boot."""

    cores: Mapping[str, frozenset[int]]
    times: dict[int, CoreTime]


class CoreUse:
    """Fractions by party, whoever used its cores."""

    unit = "fraction"

    def read(self, parties: Parties) -> Reading:
        """All cores for a party without cores of its own."""
        everybody = frozenset(allowed())
        cores = {name: party.cores or everybody for name, party in parties.items()}
        return Reading(cores, core_times(frozenset[int]().union(*cores.values())))

    def between(
        self, before: Reading, after: Reading, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Of the load's own time: start and end of what drives take time too."""
        ticks = max(sample.seconds * 1e9 / TICK_NS, 1e-9)

        def full(cores: frozenset[int]) -> float:
            passed = core_time_between({core: before.times[core] for core in cores}, after.times)
            return round(min(1.0, (passed.total - passed.idle) / (ticks * len(cores))), 3)

        return {name: full(cores) for name, cores in after.cores.items()}
