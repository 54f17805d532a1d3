"""Meters the time of the measured cores that the host and other processes took."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from race.discipline import Machine, Sample
from race.machine.cores import allowed
from race.machine.meters import HERE, Parties, by_machine
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
    """The parties of a machine, the time of its measured cores, and that of all its processes that
    are not ours.
    """

    parties: frozenset[str]
    cores: CoreReading
    others: Clocks | None


class Taken(NamedTuple):
    """The fractions of the time of a machine's measured cores that were taken.

    `left` is what is neither idle nor steal nor ours. `foreign` is None where not all processes can
    be seen.
    """

    steal: float
    left: float
    foreign: float | None


class Cores:
    """The fractions `steal` and `foreign` of the time of the cores that the parties use, each of
    the machine where it is the largest.

    `foreign` keeps its sign. It is a small difference of clocks, and only with its sign one can see
    whether it is centred on zero. `unclaimed` is what no process was charged for: the kernel's own
    time, most of it for cores that fall asleep and wake.
    """

    unit = "fraction"

    def read(self, parties: Parties) -> dict[str, Reading]:
        """Read, on each machine, those cores since boot, and the clocks of other processes."""
        return {name: _reading(*group) for name, group in by_machine(parties).items()}

    def between(
        self,
        before: dict[str, Reading],
        after: dict[str, Reading],
        sample: Sample,
        found: Mapping[str, Figures],
    ) -> Figures:
        """Return steal and foreign time; foreign is neither idle nor steal nor ours."""
        used = dict(found["cpu_ns"])
        here = after[HERE].cores.cores.keys() if HERE in after else set[int]()
        if not os.sched_getaffinity(0) & here:
            used.pop(HARNESS, None)
        elsewhere = {who for name, one in before.items() if name != HERE for who in one.parties}
        taken = []
        for name, there in before.items():
            mine = used.keys() - elsewhere if name == HERE else there.parties
            taken.append(_taken(there, after[name], sum(used.get(who, 0) for who in mine)))
        steal = max(one.steal for one in taken)
        known = [(one.foreign, one.left) for one in taken if one.foreign is not None]
        if len(known) < len(taken):
            return {"steal": steal, "foreign": max(one.left for one in taken)}
        foreign = max(foreign for foreign, _ in known)
        unclaimed = max(left - foreign for foreign, left in known)
        return {"steal": steal, "foreign": foreign, "unclaimed": unclaimed}


def _reading(machine: Machine | None, parties: Parties) -> Reading:
    used = frozenset[int]().union(*(party.cores for party in parties.values()))
    if machine is not None:
        return Reading(frozenset(parties), machine.read_cores(used), machine.clocks())
    ours = {pid for party in parties.values() for pid in tree(party.pid)}
    seen = clocks({*ours, os.getpid()})
    return Reading(frozenset(parties), read_cores(used or allowed()), seen)


def _taken(before: Reading, after: Reading, ours: float) -> Taken:
    passed = passed_between(before.cores, after.cores, before.cores.cores)
    left, foreign = passed.foreign(ours), None
    if before.others is not None and after.others is not None:
        foreign = passed.foreign(ours, used_between(before.others, after.others))
    return Taken(passed.steal / passed.whole, left, foreign)
