"""The margin and its parts, worked by hand."""

from __future__ import annotations

import math

import pytest

from race.stats import noise
from race.stats.processes import NOTHING, Kept, RoundValues


def _steady(level: float) -> RoundValues:
    return {number: level + 0.004 * math.sin(7 * number + 50 * level) for number in range(1, 13)}


def test_noise_floor_by_hand() -> None:
    # Five rounds: P(T = 0) = 1/32 <= 0.05, so the 90 % interval is the range, -0.04 to 0.02.
    twin = {1: 1.01, 2: 1.02, 3: 0.96, 4: 1.0, 5: 0.99}
    floor = noise.noise_floor(twin, dict.fromkeys(range(1, 6), 1.0), NOTHING)
    assert floor is not None
    assert floor.bound == pytest.approx(0.04)
    assert noise.noise_floor(twin, {9: 1.0}, NOTHING) is None
    few = noise.noise_floor({1: 1.0}, {1: 1.0}, NOTHING)
    assert few is not None
    assert noise.margin(few.bound) == math.inf
    # The value is 0, t of 2 degrees is 2.92 at 90 %: what processes keep is added in squares.
    kept = noise.noise_floor(twin, dict.fromkeys(range(1, 6), 1.0), Kept(0, 0.01**2, 2))
    assert kept is not None
    assert kept.bound == pytest.approx(math.hypot(0.04 + kept.value, 0.0292) - kept.value, rel=1e-3)


@pytest.mark.parametrize(
    ("bound", "margin"),
    [(0.0, math.log(1.03)), (0.02, math.log(1.03)), (0.07, 0.07), (math.inf, math.inf)],
)
def test_margin_by_hand(bound: float, margin: float) -> None:
    assert noise.margin(bound) == pytest.approx(margin)


def test_the_widest_pair_is_taken_within_groups_and_turned() -> None:
    contenders = {"a": _steady(0.0), "b": _steady(0.02), "c": _steady(0.06), "d": _steady(9.0)}
    found = noise.widest(contenders, [{"a", "b", "c"}, {"d", "absent"}], NOTHING)
    assert found is not None
    assert found[:2] == ("c", "a")
    assert found[2].value == pytest.approx(0.06, abs=0.005)
    assert noise.widest(contenders, [{"a"}, {"d", "absent"}], NOTHING) is None
