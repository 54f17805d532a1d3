"""Drives one load against one subject and reads every meter before and after."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from msgspec import structs

from race.discipline import Broken, Sample, Subject
from race.errors import CellFailed, NotReady
from race.machine.meters import Meter
from race.saved.model import Figures, Work

STRETCHES = (1, 2, 4)


@dataclass(frozen=True)
class Measurement:
    """A sample with the figures of its meters, by meter; `layout` has the cores of each party, told
    apart from those of other machines.

    `died` names a party that ended early; the figures are those until then.
    """

    sample: Sample
    meters: Mapping[str, Figures]
    layout: Mapping[str, frozenset[Hashable]] = field(default_factory=dict)
    died: str | None = None


def measure(subject: Subject, meters: Mapping[str, Meter], work: Work) -> Measurement:
    """Drive one load; raises CellFailed if nothing was measured.

    On a busy machine a generator may not be ready in time: it gets twice, then four times as long.
    """
    for stretch in STRETCHES:
        try:
            return _measure(subject, meters, lasting(work, work.load.duration_s * stretch))
        except NotReady:
            continue
    longest = STRETCHES[-1] * work.load.duration_s
    raise CellFailed(f"{work.load.generator} was not ready after {longest:g} s")


def lasting(work: Work, seconds: float) -> Work:
    """Return the same work for another duration."""
    return Work(work.task, structs.replace(work.load, duration_s=seconds))


def _measure(subject: Subject, meters: Mapping[str, Meter], work: Work) -> Measurement:
    died: str | None = None
    parties = subject.parties()
    before = {name: meter.read(parties) for name, meter in meters.items()}
    try:
        sample = subject.drive(work)
    except Broken as failure:
        sample, died = failure.sample, str(failure)
    now = subject.parties()
    gone = [name for name, party in parties.items() if now[name].pid != party.pid]
    # The clock of a restarted process says nothing about the one before it.
    left = {name: replace(one, pid=None) if name in gone else one for name, one in now.items()}
    after = {name: meter.read(left) for name, meter in meters.items()}
    found: dict[str, Figures] = {}
    for name, meter in meters.items():
        found[name] = meter.between(before[name], after[name], sample, found)
    if gone and died is None:
        died = f"{gone[0]} went away during the cell"
    return Measurement(sample, found, {name: party.places for name, party in now.items()}, died)
