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
    """`foreign` and `steal` (fractions) of the cores of a layout, and the `seconds` watched.

    To be called before anything of a race runs, for what runs by then is foreign. The result is
    saved and shown; no limit is moved by it. Whatever uses the cores at rest uses them during the
    cells as well, and there it is as foreign.
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
