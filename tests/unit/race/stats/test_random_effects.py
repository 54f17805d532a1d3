"""Several runs as one: the interval holds the truth, whatever differs from run to run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from race.stats import random_effects, signed_rank
from race.stats.estimate import Estimate
from race.stats.student import quantile

SERIES = 1000
NOISE = 0.03


def test_combined_by_hand() -> None:
    """Two agree and one is 0.3 away, with a standard error of 0.1 each: tau^2 = 0.03 - 0.01."""
    half = 0.1 * quantile(0.05, 8)
    runs = [Estimate(value, value - half, value + half, 9) for value in (0.0, 0.0, 0.3)]
    found = random_effects.combined(runs)
    assert found.value == pytest.approx(0.1)
    assert found.n == 3
    assert found.high - found.value == pytest.approx(4.302653 * math.sqrt(0.03 / 3))
    new = random_effects.new_run(found)
    assert new.high - new.value == pytest.approx(4.302653 * math.sqrt(0.03 * (1 + 1 / 3)))


def test_runs_that_agree_by_luck_have_no_narrower_interval_than_their_own_errors_allow() -> None:
    half = 0.1 * quantile(0.05, 8)
    found = random_effects.combined([Estimate(0.2, 0.2 - half, 0.2 + half, 9)] * 3)
    assert found.high - found.value == pytest.approx(4.302653 * 0.1 / math.sqrt(3))


def test_a_run_of_more_rounds_weighs_more() -> None:
    errors = random_effects.standard_errors(np.array([0.4, 0.4, 0.2]), np.array([6, 6, 24]))
    assert errors[0] == errors[1] == pytest.approx(2 * errors[2])
    centre, _ = random_effects.limits(np.array([0.0, 0.0, 0.03]), errors)
    assert float(centre) == pytest.approx(0.03 * 4 / 6)


@pytest.mark.parametrize("between", [0.0, 0.01, 0.02, 0.04])
@pytest.mark.parametrize("rounds", [4, 9, 24])
def test_the_interval_covers_the_truth_and_the_next_run(between: float, rounds: int) -> None:
    """Rounds have heavy tails (Student's t of 3), runs differ by `between`. docs/method.md has the
    figures.
    """
    random = np.random.default_rng(20261123)
    for runs in (3, 4, 6, 12):
        kept = random.normal(0.0, between, (SERIES, runs + 1, 1))
        scatter = random.standard_t(3, (SERIES, runs + 1, rounds)) * NOISE / math.sqrt(3)
        values, low, high = signed_rank.limits(kept + scatter)
        errors = None
        if np.isfinite(low).all():
            counts = np.full(runs, rounds)
            errors = random_effects.standard_errors((high - low)[:, :-1], counts)
        centre, half = random_effects.limits(values[:, :-1], errors)
        assert (abs(centre) <= half).mean() >= 0.93
        assert (abs(values[:, -1] - centre) <= half * math.sqrt(runs + 1)).mean() >= 0.92
