"""Intervals of ratios that contain what a process keeps for its life.

Two processes of the same code differ for as long as they live: by the seed of their hashes, by the
layout of their memory, by what the kernel gave them. All rounds of one life share that, so more
rounds do not average it out, only more lives do. Rounds alone would give intervals that cover too
little: with 2 % between processes and four lives of six rounds, 73 % instead of 95 %.

The lives of processes, that is the rounds from one restart to the next, are clusters with a random
effect. Its variance is estimated three times, each time with few degrees of freedom, and drawn
towards what is known better (a moderated variance: G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3
(2004) 3): that of a pair towards its work, that of a work towards all works of the race, that of
the race towards what processes typically keep. The share of the variance of a ratio that lies
between lives is joined with the exact interval of its rounds by adding squared half-widths (MOVER:
G. Y. Zou, A. Donner, Stat. Med. 27 (2008) 1693).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from race.stats import signed_rank, student
from race.stats.estimate import Estimate

Array = NDArray[np.float64]
Lives = NDArray[np.int64]
"""The life of the processes, by round: a number for each, ascending."""

RoundValues = Mapping[int, float]
"""The mean log of the rate in each round, or a log-ratio, by round number."""

TYPICAL = 2 * 0.01**2
"""The variance of a log-ratio between lives where nothing is known: each process keeps 1 %, as on
average in the published races.
"""
RACE, WORK, PAIR = 2, 8, 4
"""The degrees of freedom for which `TYPICAL` counts in a race, the race in a work, and the work in
a pair.
"""


def log_ratios(first: RoundValues, second: RoundValues) -> dict[int, float]:
    """Return the log of first over second for each round that both have, in round order."""
    return {number: first[number] - second[number] for number in sorted(first.keys() & second)}


@dataclass(frozen=True, slots=True)
class Kept:
    """The variance of a log-ratio between lives on one work, and the degrees of freedom for which
    it counts.

    Servers start anew after `restart` rounds, with 0 never. In a simulation `variance` is an array.
    """

    restart: int = 0
    variance: float | Array = TYPICAL
    freedom: int = RACE

    @property
    def deviation(self) -> float:
        """The standard deviation between two processes of the same code."""
        return math.sqrt(float(self.variance))

    def of_mean(self, pairs: float) -> Kept:
        """Return what the mean log-ratio of so many pairs keeps."""
        return replace(self, variance=self.variance / pairs)

    def estimate(self, ratios: RoundValues, alpha: float = signed_rank.ALPHA) -> Estimate | None:
        """Return the Hodges-Lehmann estimate of log-ratios with its interval; None without any."""
        if not ratios:
            return None
        life = lives(ratios, self.restart)
        found = self.limits(np.array(list(ratios.values())), life, alpha)
        value, low, high = map(float, found)
        return Estimate(value, low, high, len(ratios))

    def limits(
        self, ratios: Array, life: Lives, alpha: float = signed_rank.ALPHA
    ) -> tuple[Array, Array, Array]:
        """Return estimates, lower and upper limits along the last axis."""
        value, low, high = signed_rank.limits(ratios, alpha)
        sizes = np.unique(life, return_counts=True)[1]
        variance, freedom = np.asarray(self.variance, dtype=float), self.freedom
        if 1 < len(sizes) < len(life):
            own = np.maximum(0.0, between(ratios, life))
            freedom += len(sizes) - 1
            variance = (self.freedom * variance + (len(sizes) - 1) * own) / freedom
        share = variance * ((sizes / len(life)) ** 2).sum()
        square = student.quantile(alpha, freedom) ** 2 * share
        return (
            value,
            value - np.sqrt((value - low) ** 2 + square),
            value + np.sqrt((high - value) ** 2 + square),
        )


NOTHING = Kept(variance=0.0)


def lives(numbers: Iterable[int], restart: int) -> Lives:
    """Return the life of each round, by its number; the first round is 1."""
    found = np.array(list(numbers), dtype=np.int64)
    return (found - 1) // restart if restart else np.zeros_like(found)


def between(ratios: Array, life: Lives) -> Array:
    """Return the variance between two lives or more, beyond what rounds scatter, along the last
    axis.

    The variance of the means of lives has that of the rounds within them in it, divided by their
    number; taken off, the rest is unbiased, and can be negative (variance components by moments: S.
    R. Searle, G. Casella, C. E. McCulloch, Variance Components, Wiley 1992, chapter 3).
    """
    _, place, sizes = np.unique(life, return_inverse=True, return_counts=True)
    means = ratios @ (np.eye(len(sizes))[place] / sizes)
    within = ((ratios - means[..., place]) ** 2).sum(axis=-1) / (len(place) - len(sizes))
    found: Array = means.var(axis=-1, ddof=1) - within * (1 / sizes).mean()
    return found


@dataclass(frozen=True, slots=True)
class Seen:
    """The variance of a log-ratio between lives that one work shows, and its degrees of freedom."""

    variance: float | Array = 0.0
    freedom: int = 0


def seen(pairs: Sequence[tuple[Array, Lives]], contenders: int) -> Seen:
    """Return what restarts show: the mean over all pairs of so many contenders, each of which is
    compared with itself in another life.
    """
    found = [
        between(ratios, life) for ratios, life in pairs if 1 < len(np.unique(life)) < len(life)
    ]
    if not found:
        return Seen()
    most = max(len(np.unique(life)) for _, life in pairs)
    return Seen(np.maximum(0.0, np.mean(found, axis=0)), (contenders - 1) * (most - 1))


def seen_of_twins(pairs: Sequence[Array]) -> Seen:
    """Return what A/A twins show that never started anew: their squared difference, less what
    their rounds scatter.
    """
    found = [
        signed_rank.limits(ratios)[0] ** 2 - ratios.var(axis=-1, ddof=1) / ratios.shape[-1]
        for ratios in pairs
        if ratios.shape[-1] > 1
    ]
    return Seen(np.maximum(0.0, np.mean(found, axis=0)), len(found)) if found else Seen()


def drawn_together(works: Sequence[Seen], restart: int) -> list[Kept]:
    """Return what processes keep on each work, drawn towards the race and what is typical."""
    total = sum(one.freedom for one in works)
    pool = (sum(one.freedom * one.variance for one in works) + RACE * TYPICAL) / (total + RACE)
    return [
        Kept(
            restart,
            (one.freedom * one.variance + WORK * pool) / (one.freedom + WORK),
            min(PAIR, total + RACE),
        )
        for one in works
    ]


def mean(kept: Sequence[Kept]) -> Kept:
    """Return what a mean over works keeps: the same processes run them, so it does not shrink."""
    variances = [one.variance for one in kept]
    return Kept(kept[0].restart, sum(variances) / len(kept), min(one.freedom for one in kept))
