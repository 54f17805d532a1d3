"""The rule of a race applied to many invented races at once, to count its errors.

Races are one array of round values on the log scale: races x works x (contenders + 1) x rounds. All
contenders are equals; the last is the A/A twin of the first. What the contenders of a round share
cancels in every log-ratio, so drift of the machine need not be invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from race.stats import effects, noise, processes, signed_rank
from race.stats.processes import Kept, Lives
from race.stats.verdict import MOST, equals, winners

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
    pair, -1 for the second. `kept` is by work.
    """

    value: Array
    low: Array
    high: Array
    margin: Array
    compared: Which
    signs: Array
    kept: Sequence[Kept]

    def kept_in(self, race: int, work: int) -> Kept:
        """Return what processes keep on a work of one of the races."""
        found = self.kept[work]
        return replace(found, variance=np.broadcast_to(found.variance, len(self.low))[race])

    @property
    def coverage(self) -> float:
        """The share of intervals that contain the truth, which is that all are equal."""
        return float(((self.low <= 0) & (self.high >= 0)).mean())

    @property
    def shown_equal(self) -> float:
        """The share of pairs that are shown to be equal, which they are."""
        return float(equals(self.value, self.low, self.high, self.margin).mean())

    def false_equals(self, apart: float | Array) -> float:
        """Return the share of races that would show any contender equal to the first one if each
        were as far from it as `apart` (log scale).
        """
        first = self.signs[:, 0] == 1
        moved = np.where(np.isfinite(self.margin), apart, 0.0)
        found = equals(self.value + moved, self.low + moved, self.high + moved, self.margin)
        return float(found[:, :, first].any(axis=(1, 2)).mean())

    @property
    def limit(self) -> Array:
        """The largest difference that may be shown equal: the hardest `apart`."""
        return np.minimum(self.margin, MOST)

    @property
    def verdicts(self) -> NDArray[np.int64]:
        """Winners: 1 for the first of a pair, -1 for the second, 0 for neither."""
        return np.asarray(winners(self.low, self.high, self.margin) * self.compared)

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


def judge(races: Array, same: Same, restart: int = 0) -> Judged:
    """Apply the rule of `ranking.rank` with `noise.margin` to all races, whose processes start anew
    after `restart` rounds.
    """
    contenders = races.shape[2] - 1
    pairs = list(combinations(range(contenders), 2))
    life = processes.lives(range(1, races.shape[-1] + 1), restart)
    kept = what_processes_keep(races, restart)
    works = [
        [
            one.limits(races[:, work, first] - races[:, work, second], life)
            for first, second in pairs
        ]
        for work, one in enumerate(kept)
    ]
    value, low, high = np.moveaxis(np.array(works), (0, 1, 2, 3), (2, 3, 0, 1))
    alike = [set(_alike(groups)) for groups in same]
    compared = np.array([[pair not in here for pair in pairs] for here in alike])
    each = np.eye(contenders)
    signs = np.array([each[one] - each[two] for one, two in pairs])
    margin = margins(races, kept, life)[:, :, None]
    return Judged(value, low, high, margin, compared, signs, kept)


def what_processes_keep(races: Array, restart: int) -> list[Kept]:
    """Return what processes keep on each work, as `analysis.controls` finds it in a saved race."""
    contenders = races.shape[2]
    life = processes.lives(range(1, races.shape[-1] + 1), restart)
    both = list(combinations(range(contenders), 2))
    found = []
    for work in range(races.shape[1]):
        rounds = races[:, work]
        shown = processes.seen(
            [(rounds[:, one] - rounds[:, two], life) for one, two in both], contenders
        )
        twins = processes.seen_of_twins([rounds[:, -1] - rounds[:, 0]])
        found.append(shown if shown.freedom else twins)
    return processes.drawn_together(found, restart)


def margins(races: Array, kept: Sequence[Kept], life: Lives) -> Array:
    """Return the margin of each work: races x works."""
    found = []
    for work, one in enumerate(kept):
        twin = races[:, work, -1] - races[:, work, 0]
        _, low, high = one.limits(twin, life, 2 * signed_rank.ALPHA)
        found.append(noise.margin(np.maximum(-low, high)))
    return np.stack(found, axis=-1)


def bought(races: Array, judged: Judged, contrasts: Contrasts) -> Which:
    """Return the races that say anywhere that a choice buys something.

    The rule is that of `effects.effect`. It takes long to find whether pairs agree, so this is
    computed only where their mean lies beyond the margin.
    """
    found = np.zeros(len(races), dtype=np.bool_)
    for work, here in enumerate(contrasts):
        limit, kept = judged.margin[:, work, 0], judged.kept[work]
        life = processes.lives(range(1, races.shape[-1] + 1), kept.restart)
        for pairs in here:
            ratios = np.mean([races[:, work, one] - races[:, work, two] for one, two in pairs], 0)
            _, low, high = kept.of_mean(len(pairs)).limits(ratios, life)
            beyond = ((low > limit) | (high < -limit)) & ~found
            for race in np.flatnonzero(beyond):
                own = judged.kept_in(int(race), work)
                found[race] = _direction(races[race, work], pairs, float(limit[race]), own) != 0
    return found


def _direction(contenders: Array, pairs: Pairs, margin: float, kept: Kept) -> int:
    """Return `Effect.direction` of one contrast in one race; the table is contenders x rounds."""
    rounds = {str(number): dict(enumerate(row, 1)) for number, row in enumerate(contenders)}
    named = [(str(one), str(two)) for one, two in pairs]
    return effects.effect(("", "", ""), named, rounds, margin, kept).direction


def _alike(groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    for group in groups:
        yield from combinations(sorted(group), 2)
