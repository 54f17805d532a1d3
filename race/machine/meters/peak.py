"""Resident memory of the party under test at its most, during a load."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties
from race.machine.proc import read, tree
from race.saved.model import Figures

FORGET = "5"
"""Written to clear_refs (proc(5)), it sets the most of a process to what it is now."""


class Peak:
    """Bytes: the sum over its process tree of the most that each process had (VmHWM), which counts
    what they share once for each. What only lived during the load is not in it.
    """

    unit = "bytes"

    def read(self, parties: Parties) -> Figures:
        """The most since the reading before; from here on it is counted anew. Empty where the
        kernel does not allow that.
        """
        first = next(iter(parties.items()), None)
        if first is None or first[1].pid is None:
            return {}
        pids = tree(first[1].pid)
        most = sum(most_bytes(pid) for pid in pids)
        anew = [forget(pid) for pid in pids]
        return {first[0]: most} if all(anew) else {}

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the peaks during the load alone."""
        return {name: most for name, most in after.items() if name in before}


def most_bytes(pid: int) -> int:
    """Resident set size of a process at its most; 0 when it ended."""
    for line in read(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def forget(pid: int) -> bool:
    """Count the most of a process anew; whether that could be done."""
    try:
        with open(f"/proc/{pid}/clear_refs", "w") as file:  # noqa: PTH123 - see ``proc.read``
            file.write(FORGET)
    except OSError:
        return False
    return True
