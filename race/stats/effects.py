"""Marginal effects: what one choice buys, everything else equal.

The engines of a race form a (usually incomplete) factorial of web, backend, connection, loop and
Python version. The effect of one level against another is taken over matched pairs, engines that
differ in just that factor: in each round the mean of the pairs' log-ratios, over rounds the
Hodges-Lehmann estimate with its interval. Matching is blocking, as in G. E. P. Box, J. S. Hunter,
W. G. Hunter, Statistics for Experimenters, 2nd ed., chapters 4 and 5; means of unmatched groups
would mix the factors, because not every engine runs everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from race.stats import holm, signed_rank
from race.stats.estimate import Estimate
from race.stats.ranking import Rounds, log_ratios, winner

Design = Mapping[str, str]
"""Factor to level for one contender."""

FACTORS = ("loop", "connection", "web", "backend", "python")
# The level that others are measured against, where present: the plainest choice comes first.
_REFERENCES = {
    "loop": ("asyncio", "uvloop"),
    "connection": ("one", "pool", "multi", "query"),
    "web": ("aiohttp", "sanic", "japronto"),
    "backend": ("memory", "tarantool", "aiotarantool", "postgres"),
}
_ENGINE = re.compile(
    r"(?P<web>[^-]+)-(?P<backend>[^-]+)-(?P<connection>[^-]+?)(?P<uvloop>-uvloop)?"
)


@dataclass(frozen=True, slots=True)
class Effect:
    """`level` against `reference` of one factor: a ratio of rates, the pairs it rests on."""

    factor: str
    level: str
    reference: str
    pairs: tuple[tuple[str, str], ...]
    estimate: Estimate
    p: float
    p_holm: float
    direction: int


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A level without a matched pair: the nearest engines differ in the factors `also`, too."""

    factor: str
    level: str
    also: tuple[str, ...]


def design(engine: str, python: str) -> dict[str, str] | None:
    """The factors of an engine on Python 3.13.0, for example; None for a name of other make."""
    match = _ENGINE.fullmatch(engine)
    if match is None:
        return None
    return {
        "web": match["web"],
        "backend": match["backend"],
        "connection": match["connection"],
        "loop": "uvloop" if match["uvloop"] else "asyncio",
        "python": ".".join(python.split(".")[:2]),
    }


def effects(
    contenders: Mapping[str, Rounds], designs: Mapping[str, Design], margin: float
) -> list[Effect]:
    """Every effect that has a matched pair, Holm-adjusted together; rates as in `ranking.rank`."""
    found: list[tuple[str, str, str, list[tuple[str, str]], list[float]]] = []
    for factor in FACTORS:
        for (level, reference), pairs in _matched(factor, designs).items():
            usable = [
                pair for pair in pairs if log_ratios(contenders[pair[0]], contenders[pair[1]])
            ]
            ratios = _mean_ratios(usable, contenders)
            if ratios:
                found.append((factor, level, reference, usable, ratios))
    p_values = [signed_rank.p_value(ratios) for *_, ratios in found]
    results = []
    for (factor, level, reference, pairs, ratios), p, p_holm in zip(
        found, p_values, holm.adjust(p_values), strict=True
    ):
        estimate = signed_rank.hodges_lehmann(ratios)
        direction = winner(estimate, margin)
        results.append(
            Effect(factor, level, reference, tuple(pairs), estimate, p, p_holm, direction)
        )
    return results


def unmatched(designs: Sequence[Design]) -> list[Unmatched]:
    """Levels of web, backend and connection whose effect no pair of engines shows by itself."""
    found = []
    for factor in ("web", "backend", "connection"):
        levels = sorted({one[factor] for one in designs}, key=partial(_order, factor))
        for level in levels[1:]:  # the first is what the others are measured against
            apart = [
                tuple(name for name in FACTORS if one[name] != two[name] and name != factor)
                for one in designs
                for two in designs
                if one[factor] == level != two[factor]
            ]
            nearest = min(apart, key=len, default=())
            if nearest:
                found.append(Unmatched(factor, level, nearest))
    return found


def _matched(
    factor: str, designs: Mapping[str, Design]
) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """(level, reference) to the pairs of labels that differ in `factor` alone."""
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one, two in combinations(sorted(designs), 2):
        differing = [name for name in FACTORS if designs[one][name] != designs[two][name]]
        if differing != [factor]:
            continue
        reference, other = sorted(
            (one, two), key=lambda label: _order(factor, designs[label][factor])
        )
        key = (designs[other][factor], designs[reference][factor])
        pairs.setdefault(key, []).append((other, reference))
    return dict(
        sorted(pairs.items(), key=lambda item: [_order(factor, level) for level in item[0][::-1]])
    )


def _order(factor: str, level: str) -> tuple[int, list[int], str]:
    known = _REFERENCES.get(factor, ())
    numbers = [int(part) for part in re.findall(r"\d+", level)] if factor == "python" else []
    return (known.index(level) if level in known else len(known), numbers, level)


def _mean_ratios(pairs: list[tuple[str, str]], contenders: Mapping[str, Rounds]) -> list[float]:
    """Mean log-ratio of the pairs in each round that all pairs have, so no round is lopsided."""
    if not pairs:
        return []
    rounds = set.intersection(
        *(set(contenders[one].keys() & contenders[two].keys()) for one, two in pairs)
    )
    return [
        sum(contenders[one][number] - contenders[two][number] for one, two in pairs) / len(pairs)
        for number in sorted(rounds)
    ]
