"""Intervals with processes in them: worked by hand, against scipy, and by how they cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from race.stats import processes, simulation, student
from race.stats.processes import PAIR, RACE, TYPICAL, WORK, Kept, Seen, drawn_together
from tests.unit.race.stats.equals import races_of_equals


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 8, 29])
def test_quantiles_of_t_are_those_of_scipy(freedom: int) -> None:
    from scipy import stats

    for alpha in (0.01, 0.05, 0.1):
        expected = float(stats.t.ppf(1 - alpha / 2, freedom))
        assert student.quantile(alpha, freedom) == pytest.approx(expected)


def test_the_variance_between_lives_by_hand() -> None:
    # Means 0.02 and 0.06 have the variance 0.0008; rounds within a life 0.0002, half of it off.
    ratios = np.array([0.01, 0.03, 0.05, 0.07])
    life = processes.lives([1, 2, 3, 4], 2)
    assert list(life) == [0, 0, 1, 1]
    assert float(processes.between(ratios, life)) == pytest.approx(0.0008 - 0.0002 / 2)
    # Pairs of three contenders with two lives: two degrees of freedom.
    found = processes.seen([(ratios, life), (0 * ratios, life), (ratios, life)], 3)
    assert found.freedom == 2
    assert float(found.variance) == pytest.approx(2 / 3 * 0.0007)
    assert processes.seen([(ratios, processes.lives([1, 2, 3, 4], 0))], 3).freedom == 0


def test_twins_that_never_started_anew_show_their_difference_less_their_scatter() -> None:
    # d = 0.03, s^2/n = 0.0002 / 2 = 0.0001: 0.0009 - 0.0001.
    found = processes.seen_of_twins([np.array([0.02, 0.04]), np.array([-0.02, -0.04])])
    assert float(found.variance) == pytest.approx(0.0008)
    assert found.freedom == 2
    assert float(processes.seen_of_twins([np.array([-0.1, 0.12])]).variance) == 0
    assert processes.seen_of_twins([np.array([0.5])]).freedom == 0


def test_works_are_drawn_towards_the_race_and_the_race_towards_what_is_typical() -> None:
    (alone,) = drawn_together([Seen()], 6)
    assert (alone.restart, alone.freedom) == (6, RACE)
    assert float(alone.variance) == pytest.approx(TYPICAL)
    one, two = drawn_together([Seen(0.001, 8), Seen(0.003, 8)], 6)
    pool = (8 * 0.004 + RACE * TYPICAL) / (16 + RACE)
    assert float(one.variance) == pytest.approx((8 * 0.001 + WORK * pool) / (8 + WORK))
    assert float(two.variance) == pytest.approx((8 * 0.003 + WORK * pool) / (8 + WORK))
    assert one.freedom == two.freedom == PAIR


def test_an_interval_has_its_own_lives_and_those_of_its_work_by_hand() -> None:
    from scipy import stats

    # Two lives of three rounds; six rounds have their range as the exact interval.
    ratios = dict(enumerate([0.01, 0.02, 0.03, 0.07, 0.08, 0.09], 1))
    own = 0.06**2 / 2 - 0.0001 / 3
    variance = (4 * 0.001 + own) / 5
    half = float(stats.t.ppf(0.975, 5)) * math.sqrt(variance / 2)
    found = Kept(3, 0.001, 4).estimate(ratios)
    assert found is not None
    assert found.value == pytest.approx(0.05)
    assert found.low == pytest.approx(0.05 - math.hypot(0.04, half))
    assert found.high == pytest.approx(0.05 + math.hypot(0.04, half))
    assert Kept().estimate({}) is None
    few = Kept().estimate({1: 0.5})
    assert few is not None
    assert not few.bounded


@pytest.mark.parametrize("kept", [0.0, 0.01, 0.04])
def test_intervals_cover_what_processes_keep(kept: float) -> None:
    """The large simulation is in tests/long/race; rounds alone would cover 60 % with 4 %."""
    races = races_of_equals(60, 24, processes=kept, works=2, contenders=5, restart=6)
    judged = simulation.judge(races, [[]] * 2, restart=6)
    assert judged.coverage >= 0.93
    if kept == 0.04:
        assert simulation.judge(races, [[]] * 2).coverage < judged.coverage
