"""What can go wrong in a race, each with one line that a person can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RaceError(Exception):
    """The race cannot start or go on; the message is shown as it is, without a traceback."""


class CellFailed(Exception):
    """One cell has no number; the message is its reason and the race goes on."""


class NotReady(CellFailed):
    """Nothing was measured, because what drives was not ready in time: worth a longer try."""


def unknown(kind: str, name: str, valid: Iterable[str]) -> RaceError:
    """The error for a name nobody knows, with the nearest valid one."""
    choices = sorted(set(valid))
    near = difflib.get_close_matches(name, choices, n=1, cutoff=0.4)
    if near:
        return RaceError(f"unknown {kind} {name!r}: did you mean {near[0]!r}?")
    return RaceError(f"unknown {kind} {name!r}: choose from {', '.join(choices) or 'nothing'}")
