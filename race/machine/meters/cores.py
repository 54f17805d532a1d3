"""Meters the time of the measured cores that the host and other processes took."""

from __future__ import annotations

import os
from collections.abc import Mapping

from race.discipline import Sample
from race.machine.cores import allowed
from race.machine.meters import Parties
from race.machine.meters.cpu import HARNESS
from race.machine.proc import CoreReading, passed_between, read_cores
from race.saved.model import Figures


class Cores:
    """The fractions `steal` and `foreign` of the time of the cores that the parties use.

    `foreign` keeps its sign. It is a small difference of clocks, and only with its sign one can see
    whether it is centred on zero.
    """

    unit = "fraction"

    def read(self, parties: Parties) -> CoreReading:
        """Read the time of those cores since boot."""
        used = frozenset[int]().union(*(party.cores for party in parties.values()))
        return read_cores(used or allowed())

    def between(
        self,
        before: CoreReading,
        after: CoreReading,
        sample: Sample,
        found: Mapping[str, Figures],
    ) -> Figures:
        """Return steal and foreign time; foreign is neither idle nor steal nor ours."""
        used = found["cpu_ns"]
        ours = sum(used.values())
        if not os.sched_getaffinity(0) & after.cores.keys():
            ours -= used.get(HARNESS, 0)
        passed = passed_between(before, after, before.cores)
        return {"steal": passed.steal / passed.whole, "foreign": passed.foreign(ours)}
