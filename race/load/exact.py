"""Percentiles and histograms of generators that tell the latency of each answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from race.saved.model import Load

LAST_TICK = 0.01
"""Seconds at the end whose requests may or may not still leave."""
PERCENTILES = {"p50": 50.0, "p75": 75.0, "p90": 90.0, "p99": 99.0, "p99.9": 99.9}


def due(load: Load) -> int:
    """Return how many requests are due for certain at a fixed rate."""
    return math.floor((load.rate or 0) * (load.duration_s - LAST_TICK))


def figures(latencies: Sequence[int], lost: int) -> dict[str, float]:
    """Return nearest-rank percentiles of latencies in order; the lost requests took longer than
    all answers.
    """
    found: dict[str, float] = {}
    for name, percent in PERCENTILES.items():
        rank = math.ceil(percent / 100 * (len(latencies) + lost) - 1e-9)
        if 0 < rank <= len(latencies):
            found[name] = float(latencies[rank - 1])
    if latencies and not lost:
        found["max"] = float(latencies[-1])
        found["mean"] = sum(latencies) / len(latencies)
    return found


def histogram(latencies: Iterable[int]) -> list[tuple[float, int]]:
    """Count in buckets that are narrower than the interval of any percentile."""
    counts = Counter(_bucket(latency) for latency in latencies)
    return [(float(upper), counts[upper]) for upper in sorted(counts)]


def _bucket(latency: int) -> int:
    """Return the upper end of a bucket: exact below 128 us, then 64 buckets an octave (1.6 %)."""
    width = 1
    while latency >= 128 * width:
        width *= 2
    return (latency // width + 1) * width - 1
