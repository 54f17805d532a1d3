"""A child process that dies with its parent (Linux, prctl(2))."""

from __future__ import annotations

import ctypes
from typing import Callable

PR_SET_PDEATHSIG = 1


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
