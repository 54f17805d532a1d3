"""Chooses the contenders of a race by names and patterns, with the baseline and the A/A twins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

import msgspec

from race.discipline import discipline
from race.errors import RaceError, instead, unknown
from race.saved.model import Contender
from race.scenario import Scenario

TWIN_MARK = " (A/A)"
S = TypeVar("S", bound=Scenario)


def matching(scenario: Scenario, known: Iterable[str], what: str) -> list[str]:
    """Return the names that a scenario's patterns choose, in any case; RaceError if one fits none.

    A pattern may be a label, whose name is then chosen: `labelled` leaves out its other labels.
    `what` is what the discipline calls a contender.
    """
    names = list(dict.fromkeys(known))
    wanted = [
        name
        for pattern in _patterns(scenario.contenders, names)
        for name in _fitting(_name(pattern), names, what)
    ]
    unwanted = {
        name
        for pattern in _patterns(scenario.exclude, names)
        for name in _fitting(_name(pattern), names, what)
        if pattern == _name(pattern)
    }
    left = [name for name in dict.fromkeys(wanted) if name not in unwanted]
    if not left:
        raise RaceError(f"scenario {scenario.name}: every {what} is excluded")
    return left


def without_aliases(scenario: S, known: Iterable[str], aliases: Mapping[str, str], what: str) -> S:
    """Return the scenario with the names of contenders in place of what fits only their aliases.

    `aliases` has the name for each alias. A pattern that fits both kinds stays, with the names that
    it fits by their aliases behind it. RaceError if it is the beginning of aliases and fits none.
    """
    names = [*known, *aliases]

    def named(patterns: Sequence[str]) -> Sequence[str]:
        found = [_named(one, names, aliases, what) for one in _patterns(patterns, names)]
        meant = [one for _, some in found for one in some]
        return [one for own, some in found for one in (*own, *some)] if meant else patterns

    baseline, twin = (
        named([one])[0] if one and _name(one).lower() in map(str.lower, aliases) else one
        for one in (scenario.baseline, scenario.twin)
    )
    return msgspec.structs.replace(
        scenario,
        contenders=tuple(named(scenario.contenders)),
        exclude=tuple(named(scenario.exclude)),
        baseline=baseline,
        twin=twin,
    )


def _named(
    pattern: str, names: Iterable[str], aliases: Mapping[str, str], what: str
) -> tuple[list[str], list[str]]:
    """Return a pattern, unless it fits nothing but aliases, and the names that it means by them."""
    part = _name(pattern)
    by_name = {one for one in _like(part, names) if one not in aliases or aliases[one] == one}
    meant = [aliases[one] for one in _like(part, aliases) if aliases[one] not in by_name]
    if not (by_name or meant):
        _refuse_beginning(part, aliases, what)
    own = [pattern] if by_name or not meant else []
    return own, [name + pattern[len(part) :] for name in meant]


def labelled(scenario: Scenario, found: Sequence[Contender], what: str) -> list[Contender]:
    """Return those of the contenders that a pattern fits by name or label, and none excludes.

    RaceError if a pattern has the name of contenders here and the label of none.
    """
    names = [one.name for one in found]
    wanted = _patterns(scenario.contenders, names)
    unwanted = _patterns(scenario.exclude, names)
    for pattern in (*wanted, *unwanted):
        labels = [one.label for one in found if _like(_name(pattern), [one.name])]
        if labels and not any(_fits(pattern, one) for one in found):
            remedy = _missing_levels(scenario, pattern, labels) or instead(pattern, labels)
            raise RaceError(f"no {what} is called {pattern!r} here: {remedy}")
    return [
        one
        for one in found
        if any(_fits(pattern, one) for pattern in wanted)
        and not any(_fits(pattern, one) for pattern in unwanted)
    ]


def _missing_levels(scenario: Scenario, pattern: str, labels: Sequence[str]) -> str:
    """Return which keys add the levels that a label has and a scenario does not ask for, or ""."""
    factors = discipline(scenario.discipline).factors(scenario)
    keys = [
        f"--set {factor}={level}"
        for level in pattern.lower().split(", ")[1:]
        for factor, levels in factors.items()
        if level in levels and level not in getattr(scenario, factor, (level,))
    ]
    if not keys:
        return ""
    return f"it is raced as {' and '.join(map(repr, labels))}; for this one add {' '.join(keys)}"


def _fits(pattern: str, contender: Contender) -> bool:
    return bool(_like(pattern, (contender.label, contender.name)))


def _name(pattern: str) -> str:
    """Return the name in a label such as "asyncpg, uvloop" or "aiohttp-ugly@3.13, prepared"."""
    return pattern.partition(",")[0].partition("@")[0]


def _patterns(given: Iterable[str], names: Sequence[str]) -> list[str]:
    """Split "asyncpg, uvloop, psycopg" into two: a part that fits no name belongs to a label."""
    found: list[str] = []
    for text in given:
        first, *others = (part.removesuffix(TWIN_MARK) for part in text.split(", "))
        found.append(first)
        for part in others:
            if _like(_name(part), names):
                found.append(part)
            else:
                found[-1] += f", {part}"
    return found


def _fitting(pattern: str, names: Sequence[str], what: str) -> list[str]:
    found = _like(pattern, names)
    if found:
        return found
    _refuse_beginning(pattern, names, what)
    if any(mark in pattern for mark in "*?["):
        raise RaceError(f"no {what} fits {pattern!r}: {instead(pattern, names, what)}")
    raise unknown(what, pattern, names)


def _refuse_beginning(pattern: str, names: Iterable[str], what: str) -> None:
    """Raise RaceError if names begin with a pattern, which says how to take all of them."""
    if begun := _like(f"{pattern}-*", names):
        offered = f"'{pattern}-*' takes all {len(begun)} that begin so"
        raise RaceError(f"unknown {what} {pattern!r}: {offered}")


def _like(pattern: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if fnmatchcase(name.lower(), pattern.lower())]


def with_twins(scenario: Scenario, found: Sequence[Contender]) -> list[Contender]:
    """Return the contenders and the A/A twins of those that the scenario names; of the first one
    where none has that name or label, or fits it as a pattern.
    """
    wanted = scenario.twin or (baseline(scenario, found) if found else "")
    named = [one for one in found if _called(wanted, one)][:1]
    chosen = named or [one for one in found if _fits(wanted, one)] or found[:1]
    twins = [msgspec.structs.replace(one, label=one.label + TWIN_MARK, aa=True) for one in chosen]
    return [*found, *twins]


def baseline(scenario: Scenario, found: Sequence[Contender]) -> str:
    """Return the label that the others are compared with: the scenario's, else the first."""
    for contender in found:
        if scenario.baseline and _called(scenario.baseline, contender):
            return contender.label
    return found[0].label


def _called(name: str, contender: Contender) -> bool:
    """Return whether a contender has this label or name, in any case."""
    return name.lower() in (contender.label.lower(), contender.name.lower())
