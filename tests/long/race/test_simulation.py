"""Error rates and power of the rule over whole reports; docs/method.md states these bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from race.stats import simulation
from tests.unit.race.stats.equals import ARTICLE, CONTRASTS, NONE, races_of_equals

RACES = 1000
Array = NDArray[np.float64]
Same = list[list[list[int]]]


@pytest.mark.parametrize("rounds", [6, 9, 12])
@pytest.mark.parametrize("spread", [0.03, 0.06, 0.2])
def test_a_report_of_equals_names_a_winner_in_at_most_5_of_100(rounds: int, spread: float) -> None:
    """Nine contenders, five pages, 180 pairs: a winner anywhere counts."""
    races = races_of_equals(RACES, rounds, spread)
    assert simulation.judge(races, NONE).false_reports <= 0.05
    assert simulation.judge(races, ARTICLE).false_reports <= 0.05


@pytest.mark.parametrize("rounds", [6, 12])
@pytest.mark.parametrize(
    ("same", "processes", "bound"),
    [
        (NONE, 0.0, 0.05),
        (ARTICLE, 0.0, 0.05),
        (NONE, 0.005, 0.05),
        (ARTICLE, 0.01, 0.05),
        (NONE, 0.01, 0.10),
        (ARTICLE, 0.02, 0.10),
    ],
)
def test_a_report_of_equals_rarely_claims_anything(
    rounds: int, same: Same, processes: float, bound: float
) -> None:
    """A winner anywhere, an effect anywhere and a headline are claims.

    What sets a process apart for its life is in no interval; the margin knows of it from equals.
    """
    races = races_of_equals(RACES, rounds, processes=processes)
    judged = simulation.judge(races, same)
    assert judged.false_reports <= bound
    bought = simulation.bought(races, judged.margin[:, :, 0], CONTRASTS)
    headlines = judged.headlines(0)
    assert float(bought.mean()) <= bound / 2
    assert float(headlines.mean()) <= bound / 2
    assert float((judged.winners | bought | headlines).mean()) <= bound


@pytest.mark.parametrize(
    ("rounds", "spread", "ratio", "least"),
    [(6, 0.02, 1.25, 0.95), (9, 0.02, 1.1, 0.9), (12, 0.02, 1.1, 0.95), (6, 0.03, 1.25, 0.95)],
)
def test_a_real_difference_is_found(rounds: int, spread: float, ratio: float, least: float) -> None:
    races = races_of_equals(RACES, rounds, spread)
    for same in (NONE, ARTICLE):
        power = simulation.judge(races, same).power(ratio)
        assert power.shape == (5,)
        assert float(np.min(power)) >= least


def spiked(rounds: int) -> Array:
    """Return 2,000 races of two contenders and a twin on one page.

    A cell has 2 % noise, and one in ten loses 5 % to a spike; the machine drifts by a random walk
    of 5 % per round, which all cells of the round share.
    """
    random = np.random.default_rng(20261120)
    logs = random.normal(0, 0.02, (2000, 1, 3, rounds))
    logs += np.log(0.95) * (random.random(logs.shape) < 0.1)
    logs += np.cumsum(random.normal(0, 0.05, (2000, 1, 1, rounds)), axis=3)
    return np.asarray(logs)


@pytest.mark.parametrize("rounds", [6, 12])
def test_two_equals_with_spikes_and_drift_are_won_in_at_most_5_of_100_races(rounds: int) -> None:
    assert simulation.judge(spiked(rounds), [[]]).false_reports <= 0.05


@pytest.mark.parametrize(("ratio", "rounds"), [(1.1, 12), (0.9, 12), (1.2, 6), (0.8, 6)])
def test_a_difference_is_found_through_spikes_and_drift(ratio: float, rounds: int) -> None:
    races = spiked(rounds)
    if ratio < 1:  # the second is the faster one
        races, ratio = races[:, :, [1, 0, 2]], 1 / ratio
    assert float(np.min(simulation.judge(races, [[]]).power(ratio))) >= 0.95
