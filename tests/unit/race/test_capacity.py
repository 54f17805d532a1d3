"""The search for a capacity, tried on queues whose capacity is known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from race.capacity.analysis import unseen
from race.capacity.rate_cell import excess, slower
from race.capacity.record import AT_LEAST, NEVER_KEPT, Promise
from race.capacity.search import Ask, Excess, Search
from race.capacity.threshold import CAP, FEWEST_LIVES, Threshold, Tried, threshold
from race.discipline import Sample

PROMISE = Promise(p99_us=50_000, errors=0.001)
SECONDS = 5.0
SEARCHES = 10
"""tests/long/race/capacity_coverage.py does more."""


def late(rate: float, mean_s: float, chance: np.random.Generator | None) -> float:
    """Return the excess of a cell on a queue with one server, asked at equal intervals.

    Service times are exponential, or constant without `chance`. The waits are those of Lindley's
    recursion: D. V. Lindley, Proc. Camb. Phil. Soc. 48 (1952) 277.
    """
    number = int(rate * SECONDS)
    service = np.full(number, mean_s) if chance is None else chance.exponential(mean_s, number)
    sums = np.concatenate([[0.0], np.cumsum(service - 1 / rate)[:-1]])
    times = sums - np.minimum.accumulate(sums) + service
    return min(CAP, float((times > PROMISE.p99_us / 1e6).mean()) / 0.01)


def searching(start: float, seed: int = 1) -> Search:
    return Search(start, 40.0, random.Random(seed))  # noqa: S311 - no secret


def answered(search: Search, excess: Callable[[float], Excess]) -> None:
    """Answer a search to its end."""
    steps = search.steps()
    ask: Ask | None = next(steps)
    while ask is not None:
        try:
            ask = steps.send(excess(ask.log_rate))
        except StopIteration:
            ask = None


def found(seed: int, mean_s: float, constant: bool, between: float) -> tuple[Threshold | None, int]:
    """Search with seven lives, whose servers differ by a share; return the number of cells, too."""
    chance = np.random.default_rng(seed)
    search = searching(chance.uniform(0.5, 1) / mean_s, seed)
    steps, life, mean, cells = search.steps(), -1, mean_s, 0
    ask = next(steps)
    while ask.life <= 7:
        if ask.life != life:
            life, mean = ask.life, mean_s * math.exp(chance.normal(0, between))
        rate = float(round(math.exp(ask.log_rate)))
        cells += 1
        ask = steps.send(late(rate, mean, None if constant else chance))
    return threshold(search.cells, unseen(PROMISE, SECONDS)), cells


def exponential_capacity(mean_s: float) -> float:
    """Return the rate at which 1 % of the times are longer than promised (D/M/1: L. Kleinrock,
    Queueing Systems I, 1975, 6.4): 1 - root = log(100) / (L / mean), rate = (1 - root) / -log(root)
    a mean.
    """
    left = math.log(100) * mean_s / (PROMISE.p99_us / 1e6)
    return left / -math.log(1 - left) / mean_s


@pytest.mark.parametrize(
    ("mean_s", "constant", "between"),
    [(0.005, False, 0.0), (0.002, True, 0.0), (0.002, True, 0.02), (0.002, False, 0.01)],
)
def test_the_interval_covers_the_capacity(mean_s: float, constant: bool, between: float) -> None:
    truth = math.log(1 / mean_s if constant else exponential_capacity(mean_s))
    number, covered, halves = SEARCHES, 0, []
    for seed in range(number):
        one, cells = found(seed, mean_s, constant, between)
        assert one is not None
        assert one.rate.n >= FEWEST_LIVES
        assert cells < 75
        covered += one.rate.low <= truth <= one.rate.high
        halves.append((one.rate.high - one.rate.low) / 2)
    assert covered >= number - 1
    assert np.median(halves) < 0.08


def test_a_generator_that_cannot_offer_more_gives_a_lower_bound() -> None:
    search = searching(100.0)
    answered(search, lambda rate: None if rate > math.log(1000) else 0.2)
    assert search.outcome == AT_LEAST
    assert 750 < search.bound <= 1000


def test_a_promise_that_is_broken_at_the_lowest_rate_is_never_kept() -> None:
    search = searching(500.0)
    answered(search, lambda rate: 3.0)
    assert (search.outcome, search.bound) == (NEVER_KEPT, 40.0)


def test_too_few_lives_have_no_interval_and_a_life_on_one_side_does_not_count() -> None:
    lives = [Tried(life, math.log(rate), e) for life in (1, 2) for rate, e in ((90, 0), (110, 10))]
    one = threshold([*lives, Tried(3, math.log(80), 0.0)])
    assert one is not None
    assert (one.rate.n, one.rate.bounded) == (2, False)
    assert 90 < one.rate.ratio < 110
    assert threshold([Tried(1, 1.0, 0.0)]) is None


def test_late_and_failed_requests_count_as_often_as_may_be() -> None:
    assert excess(PROMISE, 1000, 10, 0) == 1.0
    assert excess(PROMISE, 1000, 2, 2) == 2.0
    assert excess(Promise(p99_us=1.0, errors=0.0), 1000, 0, 1) == CAP
    assert excess(PROMISE, 0, 0, 0) == CAP
    sample = Sample(30, 1.0, histogram=[(40_000.0, 10), (60_000.0, 10), (80_000.0, 10)])
    assert slower(sample, 50_000) == 15
