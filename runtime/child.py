"""A child process that dies with its parent (Linux, prctl(2)), or with who began it all."""

from __future__ import annotations

import ctypes
import os
from typing import Callable, Dict

PR_SET_PDEATHSIG = 1
# Has a word for each harness that a process must not outlive; see ``race.machine.guard``.
GUARD = "RACE_GUARD"


def dies_with_parent(number: int) -> Callable[[], None]:
    """A function for the child to call: from then on its parent's death sends it that signal.

    Everything is looked up now, as nothing may be loaded between fork and exec. Not noticed is a
    parent that died before; and the end of the very thread that forked counts as the parent's.
    """
    prctl = ctypes.CDLL(None).prctl
    signal = int(number)

    def arrange() -> None:
        prctl(PR_SET_PDEATHSIG, signal)

    return arrange


def unguarded() -> Dict[str, str]:
    """The environment for a process that has a life of its own, whoever starts it."""
    return {name: value for name, value in os.environ.items() if name != GUARD}
