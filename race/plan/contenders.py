"""Who races: names and patterns, the baseline, the A/A twin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

import msgspec

from race.errors import RaceError, instead, unknown
from race.saved.model import Contender
from race.scenario import Scenario

TWIN_MARK = " (A/A)"


def matching(scenario: Scenario, known: Iterable[str], what: str) -> list[str]:
    """The names that a scenario's patterns choose, in any case; RaceError where one fits none.

    `what` is what the discipline calls a contender.
    """
    names = list(dict.fromkeys(known))
    wanted = [name for pattern in scenario.contenders for name in _fitting(pattern, names, what)]
    unwanted = {name for pattern in scenario.exclude for name in _fitting(pattern, names, what)}
    left = [name for name in dict.fromkeys(wanted) if name not in unwanted]
    if not left:
        raise RaceError(f"scenario {scenario.name}: every {what} is excluded")
    return left


def _fitting(pattern: str, names: Sequence[str], what: str) -> list[str]:
    found = _like(pattern, names)
    if found:
        return found
    if begun := _like(f"{pattern}-*", names):
        offered = f"did you mean '{pattern}-*', which are {len(begun)}?"
        raise RaceError(f"unknown {what} {pattern!r}: {offered}")
    if any(mark in pattern for mark in "*?["):
        raise RaceError(f"no {what} fits {pattern!r}: {instead(pattern, names)}")
    raise unknown(what, pattern, names)


def _like(pattern: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if fnmatchcase(name.lower(), pattern.lower())]


def with_twin(scenario: Scenario, found: Sequence[Contender]) -> list[Contender]:
    """The contenders, and the one among them that runs twice."""
    if not found:
        return []
    wanted = scenario.twin or baseline(scenario, found)
    original = next((one for one in found if _called(wanted, one)), found[0])
    twin = msgspec.structs.replace(original, label=original.label + TWIN_MARK, aa=True)
    return [*found, twin]


def baseline(scenario: Scenario, found: Sequence[Contender]) -> str:
    """The label that the others are compared with: the scenario's, else the first."""
    for contender in found:
        if scenario.baseline and _called(scenario.baseline, contender):
            return contender.label
    return found[0].label


def _called(name: str, contender: Contender) -> bool:
    """By its label or its name, in any case."""
    return name.lower() in (contender.label.lower(), contender.name.lower())
