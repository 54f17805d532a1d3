"""Marginal effects: the ratio that one choice buys, everything else equal.

The contenders of a race form a (usually incomplete) factorial of whatever factors they have. The
effect of one level against another is taken over matched pairs, contenders that differ in just that
factor. Matching is blocking, as in G. E. P. Box, J. S. Hunter, W. G. Hunter, Statistics for
Experimenters, 2nd ed., chapters 4 and 5; means of unmatched groups would mix the factors, because
not every combination runs everywhere.

Each pair has its own estimate. A mean over pairs says something only where the choice buys the same
everywhere (no interaction): in each round the mean of the pairs' log-ratios, over rounds the
Hodges-Lehmann estimate with its interval. Where pairs disagree there is no mean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from race.stats import homogeneity, signed_rank
from race.stats.estimate import Estimate
from race.stats.processes import NOTHING, Kept, RoundValues, log_ratios
from race.stats.verdict import winner

Design = Mapping[str, str]
"""The level of each factor of one contender."""

Factors = Mapping[str, Sequence[str]]
"""The levels of each factor, in order; the others are measured against the first, the plainest.

Levels that are not named follow the named ones in natural order: 3.7 before 3.13.
"""

What = tuple[str, str, str]
"""A factor, a level of it, and the level that it is measured against."""

Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Effect:
    """The ratio of rates of `level` to `reference`, two levels of one factor.

    `pairs` are labels, (level, reference), with the `estimates` of each. `p_homogeneous` is the p
    of "all pairs show the same". Where they do not `agree`, there is no mean: `estimate` is None.
    `direction` is 1 or -1 where the mean lies beyond the margin.
    """

    factor: str
    level: str
    reference: str
    pairs: tuple[tuple[str, str], ...]
    estimates: tuple[Estimate, ...]
    p_homogeneous: float
    agree: bool
    estimate: Estimate | None
    direction: int


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A level without a matched pair: the nearest contenders also differ in the factors `also`."""

    factor: str
    level: str
    also: tuple[str, ...]


def comparable(designs: Mapping[str, Design], factors: Factors) -> dict[str, Design]:
    """Return the contenders that have every one of `factors` which any contender has.

    A contender that lacks one, such as an application of its own beside a site's engines, differs
    from all others in a way that no factor describes. It belongs in no matched pair.
    """
    raced = {name for design in designs.values() for name in design if name in factors}
    return {label: one for label, one in designs.items() if one and raced <= one.keys()}


def effects(
    contenders: Mapping[str, RoundValues],
    designs: Mapping[str, Design],
    factors: Factors,
    margin: float,
    ignored: Collection[str] = (),
    kept: Kept = NOTHING,
) -> list[Effect]:
    """Estimate every effect that has a matched pair, but none of factors `ignored`.

    Rates are as in `ranking.rank`; `designs` are of `comparable` contenders.
    """
    return [
        effect(what, usable, contenders, margin, kept)
        for what, pairs in contrasts(designs, factors, ignored)
        if (usable := [pair for pair in pairs if _shared([pair], contenders)])
        and _shared(usable, contenders)
    ]


def contrasts(
    designs: Mapping[str, Design], factors: Factors, ignored: Collection[str] = ()
) -> list[tuple[What, Pairs]]:
    """Return every effect that these contenders can show, with its matched pairs."""
    return [
        ((factor, level, reference), pairs)
        for factor in factors
        if factor not in ignored
        for (level, reference), pairs in _matched(factor, designs, factors).items()
    ]


def effect(
    what: What,
    pairs: Pairs,
    contenders: Mapping[str, RoundValues],
    margin: float,
    kept: Kept = NOTHING,
) -> Effect:
    """Estimate one effect from matched pairs that have common rounds."""
    rounds = sorted(_shared(pairs, contenders))
    each = [log_ratios(contenders[one], contenders[two]) for one, two in pairs]
    estimates = tuple(one for ratios in each if (one := kept.estimate(ratios)))
    table = np.array([[ratios[number] for ratios in each] for number in rounds])
    p = homogeneity.p_value(table)
    agree = not (_inhomogeneous(p, estimates, margin) or _different(each, rounds, margin, kept))
    means = dict(zip(rounds, table.mean(axis=1), strict=True))
    mean = kept.of_mean(len(pairs)).estimate(means) if agree else None
    return Effect(*what, tuple(pairs), estimates, p, agree, mean, winner(mean, margin))


def _inhomogeneous(p: float, estimates: Sequence[Estimate], margin: float) -> bool:
    """Return whether homogeneity is refused, with a spread beyond the margin."""
    spread = max(one.value for one in estimates) - min(one.value for one in estimates)
    return p <= signed_rank.ALPHA and spread > margin


def _different(
    each: Sequence[RoundValues], rounds: Sequence[int], margin: float, kept: Kept
) -> bool:
    """Return whether any two pairs differ by the rule that declares winners; two pairs keep twice
    as much as one.
    """
    both = kept.of_mean(0.5)
    shared = [{number: ratios[number] for number in rounds} for ratios in each]
    return any(
        winner(both.estimate(log_ratios(one, two)), margin) for one, two in combinations(shared, 2)
    )


def unmatched(designs: Sequence[Design], factors: Factors) -> list[Unmatched]:
    """Return the levels whose effect no pair of contenders, all `comparable`, shows alone."""
    found = []
    for factor in factors:
        raced = in_order({one[factor] for one in designs if factor in one}, factors[factor])
        for level in raced[1:]:  # the first is what the others are measured against
            others = [
                tuple(name for name in _differing(one, two, factors) if name != factor)
                for one in designs
                for two in designs
                if one.get(factor) == level and two.get(factor, level) != level
            ]
            nearest = min(others, key=len, default=())
            if nearest:
                found.append(Unmatched(factor, level, nearest))
    return found


def in_order(levels: Iterable[str], declared: Sequence[str] = ()) -> list[str]:
    """Return levels with the declared ones first, as declared, then the others in natural order."""

    def place(level: str) -> tuple[int, list[int], str]:
        known = declared.index(level) if level in declared else len(declared)
        return known, [int(part) for part in re.findall(r"\d+", level)], level

    return sorted(set(levels), key=place)


def _matched(
    factor: str, designs: Mapping[str, Design], factors: Factors
) -> dict[tuple[str, str], Pairs]:
    """Return (level, reference) to the pairs of labels that differ in `factor` alone."""
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


def _shared(pairs: Pairs, contenders: Mapping[str, RoundValues]) -> set[int]:
    """Return the rounds that all pairs have."""
    return set.intersection(
        *(set(contenders[one].keys() & contenders[two].keys()) for one, two in pairs)
    )
