"""Meters the time of the measured cores that the host and other processes took."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from race.discipline import Sample
from race.machine.cores import allowed
from race.machine.meters import Parties
from race.machine.meters.cpu import HARNESS
from race.machine.proc import (
    Clocks,
    CoreReading,
    clocks,
    passed_between,
    read_cores,
    tree,
    used_between,
)
from race.saved.model import Figures


class Reading(NamedTuple):
    """The time of the measured cores, and that of all processes that are not ours."""

    cores: CoreReading
    others: Clocks | None


class Cores:
    """The fractions `steal` and `foreign` of the time of the cores that the parties use.

    `foreign` keeps its sign. It is a small difference of clocks, and only with its sign one can see
    whether it is centred on zero. `unclaimed` is what no process was charged for: the kernel's own
    time, most of it for cores that fall asleep and wake.
    """

    unit = "fraction"

    def read(self, parties: Parties) -> Reading:
        """Read the time of those cores since boot, and the clocks of other processes."""
        used = frozenset[int]().union(*(party.cores for party in parties.values()))
        ours = {pid for party in parties.values() for pid in tree(party.pid)}
        return Reading(read_cores(used or allowed()), clocks({*ours, os.getpid()}))

    def between(
        self, before: Reading, after: Reading, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return steal and foreign time; foreign is neither idle nor steal nor ours."""
        used = found["cpu_ns"]
        ours = sum(used.values())
        if not os.sched_getaffinity(0) & after.cores.cores.keys():
            ours -= used.get(HARNESS, 0)
        passed = passed_between(before.cores, after.cores, before.cores.cores)
        figures = {"steal": passed.steal / passed.whole, "foreign": passed.foreign(ours)}
        if before.others is None or after.others is None:
            return figures
        foreign = passed.foreign(ours, used_between(before.others, after.others))
        return {**figures, "foreign": foreign, "unclaimed": figures["foreign"] - foreign}
