"""Measures how much of busy cores the host and other programs take."""

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
    """Keep a layout's cores busy; return the fractions `steal` and `foreign` taken of them.

    An idle core shows no steal, because the host only takes time that a program asks for. The
    result is empty if nothing is pinned.
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
