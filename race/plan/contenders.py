"""Who races: names and patterns, the baseline, the A/A twin."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence

import msgspec

from race.errors import unknown
from race.saved.model import Contender
from race.scenario import Scenario

TWIN_MARK = " (A/A)"


def matching(scenario: Scenario, known: Iterable[str], what: str) -> list[str]:
    """The names that a scenario's patterns choose; RaceError where one fits none.

    `what` is what the discipline calls a contender.
    """
    names = list(dict.fromkeys(known))
    wanted: list[str] = []
    for pattern in scenario.contenders:
        fitting = fnmatch.filter(names, pattern)
        if not fitting:
            raise unknown(what, pattern, names)
        wanted += fitting
    unwanted = {name for pattern in scenario.exclude for name in fnmatch.filter(names, pattern)}
    return [name for name in dict.fromkeys(wanted) if name not in unwanted]


def with_twin(scenario: Scenario, found: Sequence[Contender]) -> list[Contender]:
    """The contenders, and the one among them that runs twice."""
    if not found:
        return []
    wanted = scenario.twin or baseline(scenario, found)
    original = next((one for one in found if wanted in (one.label, one.name)), found[0])
    twin = msgspec.structs.replace(original, label=original.label + TWIN_MARK, aa=True)
    return [*found, twin]


def baseline(scenario: Scenario, found: Sequence[Contender]) -> str:
    """The label that the others are compared with: the scenario's, else the first."""
    for contender in found:
        if scenario.baseline in (contender.label, contender.name):
            return contender.label
    return found[0].label
