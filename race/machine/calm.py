"""Whether the machine leaves the measured cores alone while they are asked for."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack

from race.discipline import Party
from race.machine.calibrate import watch
from race.machine.cores import Layout
from race.machine.process import Child
from race.saved.model import Figures

BURN_SECONDS = 0.3
START_SECONDS = 0.1
BURN = [sys.executable, "-S", "-E", "-c", "while True: pass"]


def burn(layout: Layout, seconds: float = BURN_SECONDS) -> Figures:
    """`steal` and `foreign` (fractions) of a layout's cores, each kept busy for so long.

    A core at rest shows no steal: the host takes only what is asked for. Empty where nothing is
    pinned.
    """
    used = sorted(frozenset[int]().union(*layout.values()))
    if not used:
        return {}
    with ExitStack() as stack:
        parties = {}
        for core in used:
            child = Child(BURN, frozenset([core]))
            stack.callback(child.end)
            parties[f"core {core}"] = Party(child.pid, frozenset([core]))
        time.sleep(START_SECONDS)
        return watch(parties, seconds)[0]
