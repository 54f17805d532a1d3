"""The margin and its parts, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from race.stats import noise
from race.stats.noise import RoundValues


def _steady(level: float) -> RoundValues:
    return {number: level + 0.004 * math.sin(7 * number + 50 * level) for number in range(12)}


def test_noise_floor_by_hand() -> None:
    # Five rounds: P(T = 0) = 1/32 <= 0.05, so the 90 % interval is the range, -0.04 to 0.02.
    twin = {1: 1.01, 2: 1.02, 3: 0.96, 4: 1.0, 5: 0.99}
    floor = noise.noise_floor(twin, dict.fromkeys(range(1, 6), 1.0))
    assert floor is not None
    assert floor.bound == pytest.approx(0.04)
    assert noise.noise_floor(twin, {9: 1.0}) is None
    few = noise.noise_floor({1: 1.0}, {1: 1.0})
    assert few is not None
    assert noise.margin(few.bound, 0.0, 0.0) == math.inf


@pytest.mark.parametrize(
    ("bound", "between", "widest", "margin"),
    [
        (0.0, 0.0, 0.0, math.log(1.03)),
        (0.02, 0.0, 0.0, math.log(1.03)),
        (0.07, 0.0, 0.0, 0.07),
        (0.07, 0.01, 0.0, 0.09),
        (0.02, 0.01, 0.0, math.log(1.03) + 0.02),
        (0.07, 0.01, 0.08, 0.09),
        (0.07, 0.01, 0.1, 0.1),
        (math.inf, 0.0, 0.0, math.inf),
    ],
)
def test_margin_by_hand(bound: float, between: float, widest: float, margin: float) -> None:
    assert noise.margin(bound, between, widest) == pytest.approx(margin)


def test_the_widest_pair_is_taken_within_groups_and_turned() -> None:
    contenders = {"a": _steady(0.0), "b": _steady(0.02), "c": _steady(0.06), "d": _steady(9.0)}
    pairs = noise.same_code(contenders, [{"a", "b", "c"}, {"d", "absent"}])
    assert len(pairs) == 3
    widest = noise.widest(pairs)
    assert widest is not None
    assert widest.value == pytest.approx(0.06, abs=0.005)
    assert noise.widest(noise.same_code(contenders, [{"a"}, {"d", "absent"}])) is None


def test_between_by_hand() -> None:
    # Estimates 0.03 and -0.01 without scatter: sqrt((9 + 1) / 2) hundredths.
    still = [np.full(6, 0.03), np.full(6, -0.01)]
    assert noise.between(still) == pytest.approx(0.01 * math.sqrt(5))
    # Rounds 0.02 and 0.04: d = 0.03, s^2/n = 0.0002 / 2 = 0.0001; 0.0009 - 0.0001.
    pair = np.array([0.02, 0.04])
    assert noise.between([pair, -pair]) == pytest.approx(math.sqrt(0.0008))
    # No more than scatter explains is nothing; so is one pair, or what was seen in one round.
    assert noise.between([np.array([-0.1, 0.12])] * 2) == 0
    assert noise.between([pair]) == 0
    assert noise.between([np.array([0.5])] * 2) == 0
    assert noise.between([]) == 0


def test_between_finds_what_processes_keep_and_not_how_rounds_scatter() -> None:
    random = np.random.default_rng(4)
    scatter = random.normal(0, 0.03, (400, 8))
    assert noise.between(list(scatter)) < 0.005
    kept = random.normal(0, 0.02, (400, 1))
    assert noise.between(list(scatter + kept)) == pytest.approx(0.02, rel=0.1)
