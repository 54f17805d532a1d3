"""Meters how busy each party's cores were while the load ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from race.discipline import Machine, Sample
from race.machine.cores import Layout, allowed
from race.machine.meters import Parties, by_machine
from race.machine.proc import CorePassed, CoreReading, passed_between, read_cores
from race.saved.model import Figures


class Reading(NamedTuple):
    """The cores of each party on a machine, and the time of all cores since boot."""

    layout: Layout
    cores: CoreReading


class CoreUse:
    """The used fraction of each party's cores, of the time that the host left (without steal).

    The used time is the CPU time of all parties on those cores, so that a generator and a database
    that saturate a shared core together are both seen on a saturated core. Process clocks are
    exact, and other programs do not make a contender look busy. If a party on those cores has other
    cores too, its clock does not say where it ran, and all time that was not idle counts. A party
    without a process here, such as a database elsewhere, has no fraction.

    The whole is the time of the load. The time between the readings would be longer: the server
    idles while a generator starts, sorts its latencies or waits for late answers, and would look
    less busy than it was. What a generator uses for its start and end is subtracted where it says
    so (`Sample.beside_ns`: 12 to 25 ms of wrk, 3 to 5 % of a window of 0.5 s). A fraction is at
    most 1.
    """

    unit = "fraction"

    def read(self, parties: Parties) -> dict[str, Reading]:
        """Read the cores of each machine, all of them for a party without cores of its own."""
        return {name: _reading(*group) for name, group in by_machine(parties).items()}

    def between(
        self,
        before: dict[str, Reading],
        after: dict[str, Reading],
        sample: Sample,
        found: Mapping[str, Figures],
    ) -> Figures:
        """Return the busy fraction of each party that has a clock."""
        figures: Figures = {}
        for name, there in before.items():
            figures |= self._used(there, after[name], sample, found)
        return figures

    def _used(
        self, before: Reading, after: Reading, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        beside = sample.beside_ns
        clocks = {one: used - beside.get(one, 0) for one, used in found["cpu_ns"].items()}
        figures: Figures = {}
        seen = {name: mine for name, mine in after.layout.items() if name in clocks}
        for name, mine in seen.items():
            passed = passed_between(before.cores, after.cores, mine)
            used = _used_ns(name, seen, clocks, passed)
            left = sample.seconds * 1e9 * len(mine) * (1 - passed.steal / passed.whole)
            figures[name] = round(min(1.0, used / max(left, 1.0)), 3)
        return figures


def _reading(machine: Machine | None, parties: Parties) -> Reading:
    if machine is not None:
        cores = machine.read_cores(core for party in parties.values() for core in party.cores)
        everybody = frozenset(cores.cores)
        return Reading({name: one.cores or everybody for name, one in parties.items()}, cores)
    everybody = frozenset(allowed())
    layout = {name: party.cores or everybody for name, party in parties.items()}
    return Reading(layout, read_cores(frozenset[int]().union(*layout.values())))


def _used_ns(name: str, layout: Layout, clocks: Figures, passed: CorePassed) -> float:
    """Return the used time of a party's cores, from process clocks if those cover all of it."""
    mine = layout[name]
    there = [other for other, cores in layout.items() if cores & mine]
    if all(layout[other] <= mine for other in there):
        return sum(clocks[other] for other in there) + passed.interrupts
    return passed.busy
