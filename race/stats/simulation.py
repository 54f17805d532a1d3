"""The rule of a race applied to many invented races at once, to count its errors.

Races are one array of round values on the log scale: races x works x (contenders + 1) x rounds. All
contenders are equals; the last is the A/A twin of the first. What the contenders of a round share
cancels in every log-ratio, so drift of the machine need not be invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from race.stats import effects, noise, signed_rank

Array = NDArray[np.float64]
Which = NDArray[np.bool_]

Same = Sequence[Sequence[Sequence[int]]]
"""Groups of contenders, by index, that run the same code, for each work."""

Pairs = Sequence[tuple[int, int]]
Contrasts = Sequence[Sequence[Pairs]]
"""Matched pairs, by index, of each effect, for each work."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Estimate, interval and margin of each pair: races x works x pairs.

    Pairs are in the order of `itertools.combinations`. `compared` (works x pairs) is False for
    pairs of controls, which nobody wins. `signs` (pairs x contenders) are 1 for the first of a
    pair, -1 for the second.
    """

    value: Array
    low: Array
    high: Array
    margin: Array
    compared: Which
    signs: Array

    @property
    def verdicts(self) -> NDArray[np.int64]:
        """Winners: 1 for the first of a pair, -1 for the second, 0 for neither."""
        won = (self.low > self.margin).astype(int) - (self.high < -self.margin)
        return np.asarray(won * self.compared, dtype=np.int64)

    @property
    def winners(self) -> Which:
        """The races that declare any of these equals a winner anywhere."""
        return np.asarray((self.verdicts != 0).any(axis=(1, 2)))

    @property
    def false_reports(self) -> float:
        """The share of races that declare any of these equals a winner anywhere."""
        return float(self.winners.mean())

    def headlines(self, work: int) -> Which:
        """Return the races whose headline about this work declares a winner: the best there, if it
        beat anybody.
        """
        best = (self.value[:, work] @ self.signs).argmax(axis=1)
        turned = self.verdicts[:, work] * self.signs[:, best].T
        return np.asarray((turned > 0).any(axis=1))

    def power(self, ratio: float) -> Array:
        """Return, by work, the share of pairs won if the first were `ratio` times as fast.

        An interval moves with its pair, so no other races need be invented. NaN for a work where
        no pair is compared.
        """
        found = (self.low + np.log(ratio) > self.margin) & self.compared
        shares = np.full(len(self.compared), np.nan)
        pairs = self.compared.sum(axis=1)
        np.divide(found.sum(axis=(0, 2)), len(found) * pairs, out=shares, where=pairs > 0)
        return shares


def judge(races: Array, same: Same) -> Judged:
    """Apply the rule of `ranking.rank` with `noise.margin` to all races."""
    contenders = races.shape[2] - 1
    pairs = list(combinations(range(contenders), 2))
    limits = [signed_rank.limits(races[:, :, one] - races[:, :, two]) for one, two in pairs]
    value, low, high = (np.stack(part, axis=-1) for part in zip(*limits, strict=True))
    alike = [set(_alike(groups)) for groups in same]
    compared = np.array([[pair not in here for pair in pairs] for here in alike])
    each = np.eye(contenders)
    signs = np.array([each[one] - each[two] for one, two in pairs])
    return Judged(value, low, high, margins(races, same)[:, :, None], compared, signs)


def margins(races: Array, same: Same) -> Array:
    """Return the margin of each work: races x works."""
    twin = races[:, :, -1] - races[:, :, 0]
    _, low, high = signed_rank.limits(twin, 2 * signed_rank.ALPHA)
    controls = [
        [races[:, work, one] - races[:, work, two] for one, two in _alike(groups)]
        for work, groups in enumerate(same)
    ]
    widest = np.zeros(twin.shape[:2])
    for work, here in enumerate(controls):
        for ratios in here:
            widest[:, work] = np.maximum(widest[:, work], np.abs(signed_rank.limits(ratios)[0]))
    pairs = [*np.moveaxis(twin, 1, 0), *(ratios for here in controls for ratios in here)]
    return noise.margin(np.maximum(-low, high), noise.between(pairs)[:, None], widest)


def bought(races: Array, margin: Array, contrasts: Contrasts) -> Which:
    """Return the races that say anywhere that a choice buys something; `margin` is races x works.

    The rule is that of `effects.effect`. It takes long to find whether pairs agree, so this is
    computed only where their mean lies beyond the margin.
    """
    found = np.zeros(len(races), dtype=np.bool_)
    for work, here in enumerate(contrasts):
        limit = margin[:, work]
        for pairs in here:
            ratios = np.mean([races[:, work, one] - races[:, work, two] for one, two in pairs], 0)
            _, low, high = signed_rank.limits(ratios)
            beyond = ((low > limit) | (high < -limit)) & ~found
            for race in np.flatnonzero(beyond):
                found[race] = _direction(races[race, work], pairs, float(limit[race])) != 0
    return found


def _direction(contenders: Array, pairs: Pairs, margin: float) -> int:
    """Return `Effect.direction` of one contrast in one race; the table is contenders x rounds."""
    rounds = {str(number): dict(enumerate(row)) for number, row in enumerate(contenders)}
    named = [(str(one), str(two)) for one, two in pairs]
    return effects.effect(("", "", ""), named, rounds, margin).direction


def _alike(groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    for group in groups:
        yield from combinations(sorted(group), 2)
