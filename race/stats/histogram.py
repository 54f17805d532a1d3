"""Latency percentiles from merged histograms.

A percentile of several cells is read from their counts put together. The mean of their
percentiles would be a figure that no request ever saw (G. Tene, "How NOT to measure latency").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

Histogram = Sequence[tuple[float, int]]


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
