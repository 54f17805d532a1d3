"""Marginal effects: what one choice buys, everything else equal.

The contenders of a race form a (usually incomplete) factorial of whatever factors they have. The
effect of one level against another is taken over matched pairs, contenders that differ in just that
factor: in each round the mean of the pairs' log-ratios, over rounds the Hodges-Lehmann estimate
with its interval. Matching is blocking, as in G. E. P. Box, J. S. Hunter, W. G. Hunter, Statistics
for Experimenters, 2nd ed., chapters 4 and 5; means of unmatched groups would mix the factors,
because not every combination runs everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from race.stats import holm, signed_rank
from race.stats.estimate import Estimate
from race.stats.ranking import Rounds, winner

Design = Mapping[str, str]
"""Factor to level for one contender."""

Factors = Mapping[str, Sequence[str]]
"""Factor to its levels, in order; the first is the plainest, which others are measured against.

Levels that are not named follow the named ones in natural order: 3.7 before 3.13.
"""

Pairs = list[tuple[str, str]]


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
    """A level without a matched pair: the nearest contenders differ in the factors `also`, too."""

    factor: str
    level: str
    also: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Contrast:
    """Two levels of a factor, the pairs that show them, their mean log-ratio in each round."""

    factor: str
    level: str
    reference: str
    pairs: Pairs
    ratios: list[float]


def effects(
    contenders: Mapping[str, Rounds],
    designs: Mapping[str, Design],
    factors: Factors,
    margin: float,
) -> list[Effect]:
    """Every effect that has a matched pair, Holm-adjusted together; rates as in `ranking.rank`."""
    found = [
        _Contrast(factor, level, reference, usable, ratios)
        for factor in factors
        for (level, reference), pairs in _matched(factor, designs, factors).items()
        if (usable := [pair for pair in pairs if _shared([pair], contenders)])
        and (ratios := _mean_ratios(usable, contenders))
    ]
    p_values = [signed_rank.p_value(one.ratios) for one in found]
    return [
        _effect(one, p, p_holm, margin)
        for one, p, p_holm in zip(found, p_values, holm.adjust(p_values), strict=True)
    ]


def _effect(one: _Contrast, p: float, p_holm: float, margin: float) -> Effect:
    estimate = signed_rank.hodges_lehmann(one.ratios)
    direction = winner(estimate, margin)
    pairs = tuple(one.pairs)
    return Effect(one.factor, one.level, one.reference, pairs, estimate, p, p_holm, direction)


def unmatched(designs: Sequence[Design], factors: Factors) -> list[Unmatched]:
    """Levels whose effect no pair of contenders shows by itself."""
    found = []
    for factor in factors:
        raced = in_order({one[factor] for one in designs if factor in one}, factors[factor])
        for level in raced[1:]:  # the first is what the others are measured against
            apart = [
                tuple(name for name in _differing(one, two, factors) if name != factor)
                for one in designs
                for two in designs
                if one.get(factor) == level and two.get(factor, level) != level
            ]
            nearest = min(apart, key=len, default=())
            if nearest:
                found.append(Unmatched(factor, level, nearest))
    return found


def in_order(levels: Iterable[str], declared: Sequence[str] = ()) -> list[str]:
    """Levels, the declared ones first and as declared, then the others in natural order."""

    def place(level: str) -> tuple[int, list[int], str]:
        known = declared.index(level) if level in declared else len(declared)
        return known, [int(part) for part in re.findall(r"\d+", level)], level

    return sorted(set(levels), key=place)


def _matched(
    factor: str, designs: Mapping[str, Design], factors: Factors
) -> dict[tuple[str, str], Pairs]:
    """(level, reference) to the pairs of labels that differ in `factor` alone."""
    having = sorted(label for label, design in designs.items() if factor in design)
    raced = in_order((designs[label][factor] for label in having), factors[factor])
    pairs: dict[tuple[str, str], Pairs] = {}
    for one, two in combinations(having, 2):
        if _differing(designs[one], designs[two], factors) != [factor]:
            continue
        reference, other = sorted((one, two), key=lambda label: raced.index(designs[label][factor]))
        key = (designs[other][factor], designs[reference][factor])
        pairs.setdefault(key, []).append((other, reference))
    return dict(
        sorted(pairs.items(), key=lambda item: [raced.index(level) for level in item[0][::-1]])
    )


def _differing(one: Design, two: Design, factors: Factors) -> list[str]:
    return [name for name in factors if one.get(name) != two.get(name)]


def _shared(pairs: Pairs, contenders: Mapping[str, Rounds]) -> set[int]:
    """The rounds that all pairs have."""
    return set.intersection(
        *(set(contenders[one].keys() & contenders[two].keys()) for one, two in pairs)
    )


def _mean_ratios(pairs: Pairs, contenders: Mapping[str, Rounds]) -> list[float]:
    """Mean log-ratio of the pairs in each round that all pairs have, so no round is lopsided."""
    rounds = dict.fromkeys(sorted(_shared(pairs, contenders)), 0.0)
    for one, two in pairs:
        for number in rounds:
            rounds[number] += contenders[one][number] - contenders[two][number]
    return [total / len(pairs) for total in rounds.values()]
