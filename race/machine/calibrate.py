"""Reads the meter of the cores on an idle machine, to know what it shows at rest."""

from __future__ import annotations

import time

from race.discipline import Party, Sample
from race.machine.cores import Layout
from race.machine.meters import Parties
from race.machine.meters.cores import Cores
from race.machine.meters.cpu import Cpu
from race.saved.model import Figures

SECONDS = 1.0


def idle(layout: Layout, seconds: float = SECONDS) -> Figures:
    """Return the fractions `foreign` and `steal` of cores at rest, and the `seconds` watched.

    Call it before anything of a race runs. The result is saved and shown, and changes no limit:
    programs that use the cores at rest also use them during the cells.
    """
    found, watched = watch({name: Party(None, cores) for name, cores in layout.items()}, seconds)
    return {**found, "seconds": round(watched, 3)}


def watch(parties: Parties, seconds: float) -> tuple[Figures, float]:
    """Return the figures of the meter of the cores while these parties run, and the seconds."""
    cpu, cores = Cpu(), Cores()
    before = cpu.read(parties), cores.read(parties)
    began = time.monotonic()
    time.sleep(seconds)
    sample = Sample(0, time.monotonic() - began)
    ours = cpu.between(before[0], cpu.read(parties), sample, {})
    found = cores.between(before[1], cores.read(parties), sample, {"cpu_ns": ours})
    return found, sample.seconds
