"""The errors of a race, each with one line that a person can act on."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.arguments import did_you_mean

MANY = 20
"""The most names that are listed in an error."""


class RaceError(Exception):
    """The race cannot start or go on; the message is shown as it is, without a traceback."""


class NotSaved(RaceError):
    """Results cannot be written; what was written before is kept."""


class CellFailed(Exception):
    """One cell has no number; the message is its reason and the race goes on."""


class NotReady(CellFailed):
    """Nothing was measured, because what drives was not ready in time: worth a longer try."""


def unknown(kind: str, name: str, valid: Iterable[str]) -> RaceError:
    """Return the error for an unknown name, with the nearest valid one."""
    return RaceError(f"unknown {kind} {name!r}: {instead(name, valid)}")


def instead(name: str, valid: Iterable[str]) -> str:
    """Return what to say in place of a name: the nearest valid one, else all, else how many."""
    choices = sorted(set(valid))
    near = did_you_mean(name, choices)
    if near:
        return near
    if len(choices) > MANY:
        return f"there are {len(choices)}, such as {choices[0]!r}"
    return f"choose from {', '.join(choices) or 'nothing'}"
