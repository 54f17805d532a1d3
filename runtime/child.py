"""Child processes that die with their parent (Linux, prctl(2))."""

from __future__ import annotations

import ctypes
import os
from typing import Callable, Dict

PR_SET_PDEATHSIG = 1
# This variable has a word for each harness that a process must not outlive; the harness ends what
# has its word (``race.machine.guard``).
GUARD = "RACE_GUARD"


def dies_with_parent(number: int) -> Callable[[], None]:
    """Return a function for the child to call: its parent's death then sends it that signal.

    Everything is looked up before, as nothing may be loaded between fork and exec. A parent that
    died earlier goes unnoticed, and the end of the thread that forked counts as the parent's.
    """
    prctl = ctypes.CDLL(None).prctl
    signal = int(number)

    def arrange() -> None:
        prctl(PR_SET_PDEATHSIG, signal)

    return arrange


def unguarded() -> Dict[str, str]:
    """Return the environment for a process that may outlive the harness that starts it."""
    return {name: value for name, value in os.environ.items() if name != GUARD}
