"""Latency percentiles from merged histograms.

A percentile of several cells is read from their counts put together. The mean of their
percentiles would be a figure that no request ever saw (G. Tene, "How NOT to measure latency").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np

Histogram = Sequence[tuple[float, int]]

RESAMPLES = 2000
FEWEST_ROUNDS, FEWEST_BEYOND = 6, 10
"""An interval takes so many rounds, and so many requests beyond the percentile in all of them."""


def merge(histograms: Iterable[Histogram]) -> list[tuple[float, int]]:
    """Add up histograms of (upper bound in microseconds, count); bounds need not agree."""
    total: Counter[float] = Counter()
    for histogram in histograms:
        for upper, count in histogram:
            total[upper] += count
    return sorted((upper, count) for upper, count in total.items() if count > 0)


def percentile(merged: Histogram, percent: float) -> float | None:
    """Return the upper bound of the bucket that holds the request at `percent` (0 to 100), nearest
    rank.

    The answer is never too small: at least `percent` of the requests took this long or less. None
    without counts. Source: nearest-rank definition, R. J. Hyndman and Y. Fan, Am. Stat. 50 (1996)
    361, type 1.
    """
    total = sum(count for _, count in merged)
    if not total:
        return None
    wanted = percent / 100 * total
    seen = 0
    for upper, count in merged:
        seen += count
        if seen >= wanted - 1e-9 * total and seen > 0:
            return upper
    return merged[-1][0]


def interval(rounds: Mapping[int, Histogram], percent: float) -> tuple[float, float] | None:
    """Return the 95 % interval of a percentile of all rounds together, in microseconds.

    Rounds are drawn with replacement, since the requests of one round are not independent: a
    percentile bootstrap (B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, 1993,
    chapter 13). None with too few rounds or requests.
    """
    found = _resampled(rounds, sorted(rounds), percent)
    return None if found is None else _quantiles(found, 0.025)


def ratio_interval(
    first: Mapping[int, Histogram], second: Mapping[int, Histogram], percent: float
) -> tuple[float, float] | None:
    """Return the 90 % interval of the ratio of a percentile of two contenders.

    The same rounds are drawn for both, so what slows both alike cancels. None with too few.
    """
    common = sorted(first.keys() & second.keys())
    both = [_resampled(one, common, percent) for one in (first, second)]
    if both[0] is None or both[1] is None:
        return None
    return _quantiles(both[0] / both[1], 0.05)


def _resampled(
    rounds: Mapping[int, Histogram], numbers: Sequence[int], percent: float
) -> np.ndarray | None:
    """Return the percentile of each resample of these rounds; the same draws for everyone."""
    merged = merge(rounds[number] for number in numbers)
    beyond = (1 - percent / 100) * sum(count for _, count in merged)
    if len(numbers) < FEWEST_ROUNDS or beyond < FEWEST_BEYOND:
        return None
    bounds = [upper for upper, _ in merged]
    place = {upper: at for at, upper in enumerate(bounds)}
    counts = np.zeros((len(numbers), len(bounds)))
    for row, number in enumerate(numbers):
        for upper, count in rounds[number]:
            counts[row, place[upper]] += count
    found: np.ndarray = np.asarray(bounds)[_places(np.cumsum(counts, axis=1), percent)]
    return found


def _places(cumulative: np.ndarray, percent: float) -> np.ndarray:
    """Return the place of the bucket that holds the percentile of each resample.

    It is found by bisection: few of the sums over the drawn rounds are needed.
    """
    draws = _draws(len(cumulative))
    wanted = percent / 100 * (draws @ cumulative[:, -1]) - 1e-9
    low = np.zeros(RESAMPLES, dtype=np.intp)
    high = np.full(RESAMPLES, cumulative.shape[1] - 1)
    while (low < high).any():
        middle = (low + high) // 2
        enough = (draws * cumulative[:, middle].T).sum(axis=1) >= wanted
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle + 1)
    return low


@cache
def _draws(number: int) -> np.ndarray:
    """Return how often each of so many rounds is in each resample."""
    equal = [1 / number] * number
    return np.random.default_rng(0).multinomial(number, equal, size=RESAMPLES)


def _quantiles(found: np.ndarray, tail: float) -> tuple[float, float]:
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)
