"""The rate up to which a promise is kept, from cells at many rates in several lives of a process.

A cell has an excess: how many times as many requests broke the promise as may. At the threshold its
mean is 1. Around it the mean is a logistic curve of the log of the rate, up to `CAP`: that an
overloaded server is late with most requests says no more than that ten times too many are late. All
lives share the slope. Each has a threshold of its own, for what a process keeps shifts it: the rate
at which the curve expects the excesses that were seen (the score equation of a logistic regression;
P. McCullagh, J. A. Nelder, Generalized Linear Models, 2nd ed., 1989, 4.4). The interval is
Student's over the lives.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from race.stats.estimate import Estimate
from race.stats.student import quantile

CAP = 10.0
SHIFT = math.log(CAP - 1)
ALPHA = 0.02
"""With this level of Student's t at least 95 of 100 intervals cover, by simulation (see
docs/method.md): thresholds of lives with few late requests are skewed."""
SLOPES = np.geomspace(4, 1000, 33)
"""From a rate that may double before ten times as many are late, to one that may grow by 0.5 %."""
REACH = 1.0
STEPS = 40
FEWEST_LIVES = 5
FEW = 1.0
"""Few late requests in a life let it seem to hold more than it does, because a threshold is concave
in their number: by half the slope times the variance to second order. A life's own variance is not
told apart from that, so the interval reaches lower by no more than so many deviations.
"""

Array = NDArray[np.float64]


class Tried(NamedTuple):
    """A cell: the life of the process, the log of the rate, the excess."""

    life: int
    log_rate: float
    excess: float


@dataclass(frozen=True, slots=True)
class Threshold:
    """`rate` is on the log scale, its `n` the number of lives; `deviation` is that of the lives'
    own thresholds, `slope` that of the curve's logit by the log of the rate.
    """

    rate: Estimate
    deviation: float
    slope: float


def threshold(cells: Iterable[Tried], unseen: float = 0.0) -> Threshold | None:
    """Estimate the threshold from the lives that have rates on both sides of it; None without one.

    `unseen` is how far above it (log scale) a cell may be without showing it. The interval reaches
    lower by that. It has no ends with fewer than FEWEST_LIVES lives.
    """
    lives = _lives(cells)
    if not lives:
        return None
    places = [_locations(life) for life in lives]
    fitting = sum(_likelihoods(life, at) for life, at in zip(lives, places, strict=True))
    best = int(np.argmax(fitting))
    slope, found = float(SLOPES[best]), [float(at[best]) for at in places]
    value, number = statistics.fmean(found), len(found)
    deviation = statistics.stdev(found) if number > 1 else 0.0
    half = math.inf
    if number >= FEWEST_LIVES:
        half = quantile(ALPHA, number - 1) * deviation / math.sqrt(number)
    few = FEW * deviation * min(1.0, slope * deviation)
    rate = Estimate(value, value - half - few - unseen, value + half, number)
    return Threshold(rate, deviation, slope)


def _lives(cells: Iterable[Tried]) -> list[tuple[Array, Array]]:
    """Return the rates and the excesses, as shares of CAP, of each life."""
    found: dict[int, list[Tried]] = {}
    for one in cells:
        found.setdefault(one.life, []).append(one)
    return [_arrays(each) for each in found.values() if _crosses(each)]


def _crosses(life: Sequence[Tried]) -> bool:
    """Return whether the lowest rate of a life keeps the promise and the highest breaks it."""
    lowest, highest = min(life, key=_rate), max(life, key=_rate)
    return lowest.excess < 1 <= highest.excess


def _rate(one: Tried) -> float:
    return one.log_rate


def _arrays(cells: Sequence[Tried]) -> tuple[Array, Array]:
    rates = np.array([one.log_rate for one in cells])
    return rates, np.array([min(one.excess, CAP) / CAP for one in cells])


def _locations(life: tuple[Array, Array]) -> Array:
    """Return where a life's curve has to be with each of the slopes, by bisection."""
    rates, shares = life
    low = np.full(len(SLOPES), float(np.min(rates)) - REACH)
    high = np.full(len(SLOPES), float(np.max(rates)) + REACH)
    for _ in range(STEPS):
        middle = (low + high) / 2
        many = _curves(rates, middle).sum(axis=1) > shares.sum()
        low, high = np.where(many, middle, low), np.where(many, high, middle)
    return np.asarray((low + high) / 2)


def _curves(rates: Array, locations: Array) -> Array:
    """Return, by slope and rate, the mean share of CAP: 1 / CAP at the location."""
    logits = SLOPES[:, None] * (rates - locations[:, None]) - SHIFT
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -500, 500))))


def _likelihoods(life: tuple[Array, Array], locations: Array) -> Array:
    """Return the log of the quasi-likelihood of a life with each of the slopes."""
    rates, shares = life
    mean = np.clip(_curves(rates, locations), 1e-12, 1 - 1e-12)
    return np.asarray((shares * np.log(mean) + (1 - shares) * np.log(1 - mean)).sum(axis=1))
