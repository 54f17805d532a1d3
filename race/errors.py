"""The errors of a race, each with one line that a person can act on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from runtime.arguments import did_you_mean

MANY = 20
"""The most names that are listed in an error."""
PLACES = {
    "engine": "in `server.py --list --json`",
    "scenario": "in `race list`",
    "race": "in `race list`",
    "scenario or race": "in `race list`",
    "operation": "in toolbench/*/operations",
}
"""The place where all names of a kind are listed."""


class RaceError(Exception):
    """The race cannot start or go on; the message is shown as it is, without a traceback."""


class NotSaved(RaceError):
    """Results cannot be written; what was written before is kept."""


class Disturbed(Exception):
    """The machine disturbed so many cells that the race ended; what it saved is kept."""


class CellFailed(Exception):
    """One cell has no number; the message is its reason and the race goes on."""


class NotReady(CellFailed):
    """Nothing was measured, because what drives was not ready in time: worth a longer try."""


def unknown(kind: str, name: str, valid: Iterable[str]) -> RaceError:
    """Return the error for an unknown name, with the nearest valid one."""
    return RaceError(f"unknown {kind} {name!r}: {instead(name, valid, kind)}")


def instead(name: str, valid: Iterable[str], kind: str = "") -> str:
    """Return what to say in place of a name: the nearest valid one, what can follow the words of
    it that are known, all names if they are few, else where they are listed.
    """
    choices = sorted(set(valid))
    if near := did_you_mean(name, choices) or _next_word(name, choices):
        return near
    if len(choices) <= MANY:
        return f"choose from {', '.join(choices) or 'nothing'}"
    if kind in PLACES:
        return f"all {len(choices)} are {PLACES[kind]}"
    return f"none of the {len(choices)} that there are is like it"


def _next_word(name: str, choices: Sequence[str]) -> str:
    """Return the first unknown word of a name with hyphens and what can stand there; else ""."""
    for word in reversed(list(re.finditer(r"\w+", name))[1:]):
        start = name[: word.start()]
        rests = (one[len(start) :] for one in choices if one.startswith(start))
        after = sorted({found[0] for rest in rests if (found := re.match(r"\w+", rest))})
        if after:
            return f"after {start!r} comes one of {', '.join(after)}, not {word[0]!r}"
    return ""
