"""Meters the peak of the resident memory of the party under test during a load."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties
from race.machine.proc import read, tree
from race.saved.model import Figures

RESET = "5"
"""Written to clear_refs (proc(5)), it resets the peak of a process to its memory of now."""


class Peak:
    """The sum of the peaks (VmHWM) of the processes in a tree, in bytes.

    Shared memory counts once for each process. Processes that only lived during the load are not
    included.
    """

    unit = "bytes"

    def read(self, parties: Parties) -> Figures:
        """Read the peaks since the last reading and reset them.

        The reading is empty if the kernel does not allow the reset.
        """
        first = next(iter(parties.items()), None)
        if first is None or first[1].pid is None:
            return {}
        pids = tree(first[1].pid)
        most = sum(peak_bytes(pid) for pid in pids)
        resets = [reset_peak(pid) for pid in pids]
        return {first[0]: most} if all(resets) else {}

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the peaks during the load alone."""
        return {name: most for name, most in after.items() if name in before}


def peak_bytes(pid: int) -> int:
    """Return the peak of a process's resident set in bytes; 0 if it has ended."""
    for line in read(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def reset_peak(pid: int) -> bool:
    """Reset the peak of a process; return whether that was possible."""
    try:
        with open(f"/proc/{pid}/clear_refs", "w") as file:  # noqa: PTH123 - see ``proc.read``
            file.write(RESET)
    except OSError:
        return False
    return True
