"""Meters the context switches of the party under test."""

from __future__ import annotations

import os
from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties
from race.machine.proc import read, tree
from race.saved.model import Figures


class Switches:
    """Voluntary switches, when a thread waited, and involuntary ones, when it was preempted."""

    unit = "count"

    def read(self, parties: Parties) -> Figures:
        """Read the totals over the living threads of its process tree."""
        first = next(iter(parties.values()), None)
        found: Figures = {"voluntary": 0, "involuntary": 0}
        for pid in tree(first.pid if first else None):
            for kind, number in _switches(pid).items():
                found[kind] += number
        return found

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the differences."""
        return {kind: max(0, after[kind] - before[kind]) for kind in after}


def _switches(pid: int) -> dict[str, int]:
    found = {"voluntary": 0, "involuntary": 0}
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:  # ended meanwhile
        return found
    for task in tasks:
        for line in read(pid, f"task/{task}/status").splitlines():
            name, _, number = line.partition(":")
            if name == "voluntary_ctxt_switches":
                found["voluntary"] += int(number)
            elif name == "nonvoluntary_ctxt_switches":
                found["involuntary"] += int(number)
    return found
