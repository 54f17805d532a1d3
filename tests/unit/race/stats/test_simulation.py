"""How often the rule errs and finds, over a whole report; docs/method.md states what holds here."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from race.stats import effects, noise, ranking, simulation
from tests.support import synthetic

Array = NDArray[np.float64]

RACES = 300
# Five pages; on the last two engines that differ in the driver alone run the same code.
NONE: list[list[list[int]]] = [[]] * 5
ARTICLE = [*NONE[:3], [[0, 1, 2], [3, 4]], [[0, 1, 2], [3, 4]]]

FACTORS = synthetic.DISCIPLINE.factors
DESIGNS = {
    str(number): one.factors
    for number, one in enumerate(synthetic.contenders(synthetic.Recipe()))
    if not one.aa
}
IGNORED: list[list[str]] = [[], [], [], *[["backend", "connection"]] * 2]
CONTRASTS = [
    [
        [(int(one), int(two)) for one, two in pairs]
        for _, pairs in effects.contrasts(DESIGNS, FACTORS, ignored)
    ]
    for ignored in IGNORED
]


def _races(
    rounds: int,
    spread: float = 0.03,
    processes: float = 0.0,
    passes: int = 2,
    works: int = 5,
    contenders: int = 9,
) -> Array:
    """Equals: heavy tails (t of 3) of `spread` in each cell, a round is the mean of its passes.

    `processes` is the standard deviation of what each contender keeps for the whole race.
    """
    random = np.random.default_rng(20261122)
    shape = (RACES, works, contenders + 1)
    cells = random.standard_t(3, (*shape, rounds, passes)) * spread / math.sqrt(3)
    own: Array = random.normal(0, processes, (*shape, 1)) if processes else np.zeros((*shape, 1))
    values: Array = cells.mean(axis=-1) + own
    return values


@pytest.mark.parametrize("same", [NONE, ARTICLE], ids=["no controls", "controls"])
def test_the_simulation_applies_the_rule_of_a_race(same: list[list[list[int]]]) -> None:
    races = _races(9, processes=0.02)
    judged = simulation.judge(races, same)
    pairs = list(combinations(range(9), 2))
    winners = 0
    for one in range(20):
        works = [{str(n): dict(enumerate(row)) for n, row in enumerate(w)} for w in races[one]]
        groups = [[{str(n) for n in group} for group in here] for here in same]
        own = [noise.same_code(w, g) for w, g in zip(works, groups, strict=True)]
        twins = [noise.log_ratios(w["9"], w["0"]) for w in works]
        everywhere = [np.array(ratios) for ratios in (*twins, *(r for here in own for r in here))]
        between = noise.between(everywhere)
        for place, work in enumerate(works):
            floor, widest = noise.noise_floor(work["9"], work["0"]), noise.widest(own[place])
            assert floor is not None
            margin = float(noise.margin(floor.bound, between, widest.value if widest else 0.0))
            contenders = {name: row for name, row in work.items() if name != "9"}
            result = ranking.rank(contenders, margin, groups[place])
            for pair, verdict in zip(pairs, judged.verdicts[one, place], strict=True):
                found = result.pair(str(pair[0]), str(pair[1]))
                assert found is not None
                assert found.winner == {1: str(pair[0]), -1: str(pair[1]), 0: None}[int(verdict)]
                winners += found.winner is not None
    assert winners  # or the comparison above compared nothing


@pytest.mark.parametrize("rounds", [6, 9, 12])
@pytest.mark.parametrize("spread", [0.03, 0.06, 0.2])
@pytest.mark.parametrize("passes", [1, 2])
def test_a_report_of_equals_names_a_winner_in_at_most_5_of_100(
    rounds: int, spread: float, passes: int
) -> None:
    """Nine contenders, five pages, 180 pairs: a winner anywhere counts."""
    races = _races(rounds, spread, passes=passes)
    assert simulation.judge(races, NONE).false_reports <= 0.05
    assert simulation.judge(races, ARTICLE).false_reports <= 0.05


@pytest.mark.parametrize(
    ("same", "processes", "bound"),
    [(NONE, 0.005, 0.05), (ARTICLE, 0.01, 0.05), (NONE, 0.01, 0.10), (ARTICLE, 0.02, 0.10)],
)
@pytest.mark.parametrize("rounds", [6, 12])
def test_processes_that_differ_by_chance_are_rarely_called_winners(
    same: list[list[list[int]]], processes: float, bound: float, rounds: int
) -> None:
    """What a process keeps for its life is in no interval; the margin knows of it from equals."""
    races = _races(rounds, processes=processes, passes=1)
    assert simulation.judge(races, same).false_reports <= bound


@pytest.mark.parametrize(
    ("rounds", "passes", "ratio", "least"),
    [(6, 2, 1.25, 0.95), (9, 2, 1.1, 0.9), (12, 2, 1.1, 0.95), (6, 1, 1.25, 0.95)],
)
def test_a_real_difference_is_found(rounds: int, passes: int, ratio: float, least: float) -> None:
    races = _races(rounds, passes=passes)
    for same in (NONE, ARTICLE):
        power = simulation.judge(races, same).power(ratio)
        assert power.shape == (5,)
        assert float(np.min(power)) >= least


def test_power_is_the_share_of_races_in_which_a_faster_contender_wins() -> None:
    """Intervals move with their pair: the power of shifted races needs no shifted races."""
    races = _races(6, works=2, contenders=3)
    judged = simulation.judge(races, [[], []])
    faster = races.copy()
    faster[:, :, 1] += math.log(1.08)
    verdicts = simulation.judge(faster, [[], []]).verdicts
    # Pairs are (0, 1), (0, 2), (1, 2): the last has the faster one first.
    pair = replace(
        judged,
        value=judged.value[:, :, 2:],
        low=judged.low[:, :, 2:],
        high=judged.high[:, :, 2:],
        compared=judged.compared[:, 2:],
        signs=judged.signs[2:],
    )
    assert pair.power(1.08) == pytest.approx((verdicts[:, :, 2] == 1).mean(axis=0))
    assert 0.2 < pair.power(1.08).mean() < 0.8


def test_too_few_rounds_find_nothing_and_invent_nothing() -> None:
    judged = simulation.judge(_races(5), NONE)
    assert judged.false_reports == 0
    assert float(np.max(judged.power(3.0))) == 0


def _spiked(rounds: int) -> Array:
    """Two contenders and a twin on one page: 2,000 races.

    A cell has 3 % noise, and one in ten loses 10 % to a spike; the machine drifts by a random walk
    of 5 % per round, which all cells of the round share. A round is the mean of two passes.
    """
    random = np.random.default_rng(20261120)
    logs = random.normal(0, 0.03, (2000, 1, 3, rounds, 2))
    logs += np.log(0.9) * (random.random(logs.shape) < 0.1)
    logs += np.cumsum(random.normal(0, 0.05, (2000, 1, 1, rounds, 1)), axis=3)
    values: Array = logs.mean(axis=-1)
    return values


@pytest.mark.parametrize("rounds", [6, 12])
def test_two_equal_contenders_are_told_apart_in_at_most_5_of_100_races(rounds: int) -> None:
    assert simulation.judge(_spiked(rounds), [[]]).false_reports <= 0.05


@pytest.mark.parametrize(("ratio", "rounds"), [(1.1, 12), (0.9, 12), (1.2, 6), (0.8, 6)])
def test_a_difference_through_spikes_and_drift(ratio: float, rounds: int) -> None:
    races = _spiked(rounds)
    if ratio < 1:  # the second is the faster one
        races, ratio = races[:, :, [1, 0, 2]], 1 / ratio
    assert float(np.min(simulation.judge(races, [[]]).power(ratio))) >= 0.95


@pytest.mark.parametrize("rounds", [6, 12])
@pytest.mark.parametrize(
    ("same", "processes", "bound"),
    [(NONE, 0.0, 0.05), (ARTICLE, 0.0, 0.05), (ARTICLE, 0.01, 0.05), (ARTICLE, 0.02, 0.10)],
)
def test_a_report_of_equals_rarely_says_that_a_choice_buys_something(
    rounds: int, same: list[list[list[int]]], processes: float, bound: float
) -> None:
    """A winner anywhere, an effect anywhere or a headline: any of them is a claim."""
    races = _races(rounds, processes=processes, passes=1)
    judged = simulation.judge(races, same)
    bought = simulation.bought(races, judged.margin[:, :, 0], CONTRASTS)
    headlines = judged.headlines(0)
    assert float(bought.mean()) <= bound / 2
    assert float(headlines.mean()) <= bound / 2
    assert float((judged.winners | bought | headlines).mean()) <= bound


def test_the_simulation_tells_effects_and_headlines_as_a_race_does() -> None:
    """Of races that claim much, because processes differ by more than the margin knows."""
    races = _races(9, processes=0.05)
    judged = simulation.judge(races, NONE)
    bought = simulation.bought(races, judged.margin[:, :, 0], CONTRASTS)
    assert 5 <= bought.sum() <= len(races) - 5
    chosen = [*np.flatnonzero(bought)[:5], *np.flatnonzero(~bought)[:5]]
    best_wins = 0
    for one in chosen:
        told = []
        for place, work in enumerate(races[one]):
            contenders = {str(n): dict(enumerate(row)) for n, row in enumerate(work[:-1])}
            margin = float(judged.margin[one, place, 0])
            found = effects.effects(contenders, DESIGNS, FACTORS, margin, IGNORED[place])
            told += [effect.direction for effect in found]
            result = ranking.rank(contenders, margin)
            best = result.places[0].label
            beat = any(pair.winner == best for pair in result.pairs)
            assert judged.headlines(place)[one] == beat
            best_wins += beat
        assert bought[one] == any(told)
    assert 0 < best_wins < len(chosen) * 5


def test_a_choice_that_buys_something_is_seen_where_its_pairs_agree() -> None:
    races = _races(12, passes=1)[:50]
    pairs = CONTRASTS[0][1]
    assert len(pairs) == 4
    for one, _ in pairs:
        races[:, 0, one] += math.log(1.5)
    judged = simulation.judge(races, NONE)
    margin = judged.margin[:, :, 0]
    only = [[pairs], [], [], [], []]
    assert float(simulation.bought(races, margin, only).mean()) > 0.95
    # It buys as much again in one pair, and as little in another: there is no mean to be told.
    races[:, 0, pairs[0][0]] += math.log(4)
    races[:, 0, pairs[1][0]] -= math.log(4)
    assert not simulation.bought(races, margin, only).any()
