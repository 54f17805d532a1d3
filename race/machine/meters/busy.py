"""Meters how busy each party's cores were while the load ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from race.discipline import Sample
from race.machine.cores import Layout, allowed
from race.machine.meters import Parties
from race.machine.proc import CorePassed, CoreReading, passed_between, read_cores
from race.saved.model import Figures


class Reading(NamedTuple):
    """Whose cores they are, and their time since boot."""

    layout: Layout
    cores: CoreReading


class CoreUse:
    """Fractions by party, of its cores and of the time that the host left (without steal).

    Process clocks tell what was used: of all parties that run on those cores, so that a generator
    and a database that fill one core together are both seen on a full core. They are exact where
    ticks are samples, and what others use does not make a contender look full. Where a party on
    those cores has others as well, its clock does not say on which of them it ran: what counts is
    all that was not idle. A party without a process to see (a database elsewhere) has no fraction:
    nothing that happens on cores of this machine says how full it was.

    The whole is the load's own time, and what a generator used for its start and end, where it
    tells, is left out (`Sample.beside_ns`: 12 to 25 ms of wrk, 3 to 5 % of a window of 0.5 s). The
    time between the readings would be wrong: the server idles while a generator starts, sorts or
    waits for late answers, so a server that was full all the time would not seem so. What a server
    does before and after the load, closing connections, counts as load. A fraction is cut off at 1.
    """

    unit = "fraction"

    def read(self, parties: Parties) -> Reading:
        """Read all cores for a party without cores of its own."""
        everybody = frozenset(allowed())
        layout = {name: party.cores or everybody for name, party in parties.items()}
        return Reading(layout, read_cores(frozenset[int]().union(*layout.values())))

    def between(
        self, before: Reading, after: Reading, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the busy fraction of each party that has a clock."""
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


def _used_ns(name: str, layout: Layout, clocks: Figures, passed: CorePassed) -> float:
    """Time of the cores of a party that somebody used, by process clocks where they tell it all."""
    mine = layout[name]
    there = [other for other, cores in layout.items() if cores & mine]
    if all(layout[other] <= mine for other in there):
        return sum(clocks[other] for other in there) + passed.interrupts
    return passed.busy
