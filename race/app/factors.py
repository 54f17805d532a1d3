"""The factors of an application's servers: their levels, and the combinations that race."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from race.errors import instead
from race.machine.cores import WORKERS

PACKAGES = "packages"
"""The table whose keys are packages: each is a factor, and its levels are versions."""

Level = str | int | float
Factor = dict[str, str | tuple[Level, ...]] | tuple[Level, ...]
Levels = Mapping[str, str]
Combination = Mapping[str, Level]


def named(levels: Mapping[str, object] | Sequence[object]) -> dict[str, str]:
    """Return the text of each level by its name; in a list a level is its own name."""
    if isinstance(levels, Mapping):
        return {name: str(text) for name, text in levels.items()}
    return {str(level): str(level) for level in levels}


def spread(given: Mapping[str, Factor]) -> Iterator[tuple[str, Factor | str]]:
    """Yield each factor with its levels as they are given, and each package as a factor."""
    for factor, levels in given.items():
        if factor == PACKAGES and isinstance(levels, Mapping):
            yield from levels.items()
        else:
            yield factor, levels


def own(given: Mapping[str, Factor]) -> dict[str, Levels]:
    """Return the text of each level by its name, by factor."""
    return {factor: named(levels) for factor, levels in spread(given)}


def requirements(given: Mapping[str, Factor], chosen: Levels) -> str:
    """Return what installs the chosen versions of all packages: "httptools==0.6.4"."""
    packages = given.get(PACKAGES)
    names = packages if isinstance(packages, Mapping) else ()
    return " ".join(f"{name}=={chosen[name]}" for name in names if name in chosen)


def problems(given: Mapping[str, Factor], texts: str, taken: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with factors; `texts` is all that they may stand in, `taken` are names
    that stand for something else.
    """
    factors = list(spread(given))
    packages = given.get(PACKAGES)
    for factor, levels in factors:
        package = isinstance(packages, Mapping) and factor in packages
        form = r"[A-Za-z0-9][\w.-]*" if package else r"[a-z][a-z0-9_]*"
        often = sum(name == factor for name, _ in factors)
        if not re.fullmatch(form, factor) or factor in taken or often > 1:
            yield f"{factor!r} is no name of a factor"
        yield from _wrong_levels(factor, levels)
        places = [f"{{{factor}}}", *([f"{{{PACKAGES}}}"] if package else [])]
        if not any(place in texts for place in places):
            where = " or ".join(places)
            yield f"nothing contains {where}, so all levels of {factor} would be the same"


def _wrong_levels(factor: str, levels: Factor | str) -> Iterator[str]:
    texts = levels.values() if isinstance(levels, Mapping) else ()
    if isinstance(levels, str) or not all(isinstance(one, str) for one in texts):
        yield f"the levels of {factor!r} are texts by name, or a list"
    found = named(levels)
    if not found or len(found) < len(levels):
        yield f"factor {factor!r} has no level, or one twice"
    for level in found:
        if not re.fullmatch(r"[\w.+:=-]+", level):
            yield f"{level!r} is no name of a level: one word"
        elif factor == WORKERS and (not level.isdecimal() or int(level) < 1):
            yield f"{WORKERS} are numbers, not {level!r}"


def unknown(
    levels: Mapping[str, Levels], wanted: Sequence[Combination], vary: Sequence[str]
) -> Iterator[str]:
    """Yield what combinations, or factors to vary, name that is not there."""
    for factor in [*vary, *(name for one in wanted for name in one)]:
        if factor not in levels:
            yield f"there is no factor {factor!r}: {instead(factor, levels)}"
    for one in wanted:
        for factor, level in one.items():
            if factor in levels and str(level) not in levels[factor]:
                yield f"{factor} has no level {str(level)!r}: {instead(str(level), levels[factor])}"


def combined(
    levels: Mapping[str, Levels],
    wanted: Sequence[Combination],
    vary: Sequence[str],
    free: Collection[str],
) -> list[tuple[str, ...]]:
    """Return the combinations of levels that race, in the order of the factors.

    Without `wanted` all do; there a factor that is not named has its first level. With `vary`, only
    those factors differ, and all others have their first level. `free` factors always differ.
    """
    first = {factor: next(iter(each)) for factor, each in levels.items()}

    def races(one: Levels) -> bool:
        bound = {factor: level for factor, level in one.items() if factor not in free}
        still = (level == first[name] for name, level in bound.items() if name not in vary)
        alike = (
            all(str(each.get(name, first[name])) == level for name, level in bound.items())
            for each in wanted
        )
        return (not vary or all(still)) and (not wanted or any(alike))

    every = (dict(zip(levels, one, strict=True)) for one in product(*levels.values()))
    return [tuple(one.values()) for one in every if races(one)]
