"""The rule on many invented races; tests/long/race says how often it errs over whole reports."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from race.analysis.controls import kept as kept_by_work
from race.saved.model import Load, Work
from race.stats import effects, noise, ranking, simulation
from tests.unit.race.stats.equals import (
    ARTICLE,
    CONTRASTS,
    DESIGNS,
    FACTORS,
    IGNORED,
    NONE,
    races_of_equals,
)


@pytest.mark.parametrize("same", [NONE, ARTICLE], ids=["no controls", "controls"])
@pytest.mark.parametrize("restart", [0, 3])
def test_the_simulation_applies_the_rule_of_a_race(
    same: list[list[list[int]]], restart: int
) -> None:
    races = races_of_equals(8, 9, processes=0.03, restart=restart)
    races[:, :, 3] += 0.2
    judged = simulation.judge(races, same, restart)
    pairs = list(combinations(range(9), 2))
    for one in range(len(races)):
        logs = {
            Work(str(place), Load("wrk", 1)): {
                str(label): dict(enumerate(row, 1)) for label, row in enumerate(work)
            }
            for place, work in enumerate(races[one])
        }
        found = kept_by_work(logs, {"9": "0"}, restart)
        for place, (work, rounds) in enumerate(logs.items()):
            floor = noise.noise_floor(rounds["9"], rounds["0"], found[work])
            assert floor is not None
            contenders = {name: row for name, row in rounds.items() if name != "9"}
            groups = [{str(number) for number in group} for group in same[place]]
            margin = float(noise.margin(floor.bound))
            result = ranking.rank(contenders, margin, groups, found[work])
            for pair, verdict in zip(pairs, judged.verdicts[one, place], strict=True):
                own = ranking.find_pair(result.pairs, str(pair[0]), str(pair[1]))
                assert own is not None
                assert own.winner == {1: str(pair[0]), -1: str(pair[1]), 0: None}[int(verdict)]
    assert (judged.verdicts != 0).any()  # or the comparison above compared nothing


def test_equals_are_rarely_called_winners_and_differences_are_found() -> None:
    judged = simulation.judge(races_of_equals(100, 6), ARTICLE)
    assert judged.false_reports <= 0.05
    assert float(np.min(judged.power(1.5))) >= 0.95
    assert float(np.max(judged.power(1.01))) <= 0.05


def test_power_is_the_share_of_races_in_which_a_faster_contender_wins() -> None:
    """Intervals move with their pair: the power of shifted races needs no shifted races."""
    races = races_of_equals(100, 9, works=2, contenders=3)
    judged = simulation.judge(races, [[], []])
    faster = races.copy()
    faster[:, :, 1] += math.log(1.1)
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
    assert pair.power(1.1) == pytest.approx((verdicts[:, :, 2] == 1).mean(axis=0))
    assert 0.2 < pair.power(1.1).mean() < 0.8


def test_too_few_rounds_find_nothing_and_invent_nothing() -> None:
    judged = simulation.judge(races_of_equals(100, 5), NONE)
    assert judged.false_reports == 0
    assert float(np.max(judged.power(3.0))) == 0


def test_the_simulation_tells_effects_and_headlines_as_a_race_does() -> None:
    """The races claim much, because the choice buys a little in each."""
    races = races_of_equals(100, 9, processes=0.01)
    races[:, :, [2, 4, 6, 8]] += np.random.default_rng(3).normal(0.03, 0.03, (100, 5, 1, 1))
    judged = simulation.judge(races, NONE)
    bought = simulation.bought(races, judged, CONTRASTS)
    assert 5 <= bought.sum() <= len(races) - 5
    chosen = [*np.flatnonzero(bought)[:5], *np.flatnonzero(~bought)[:5]]
    best_wins = 0
    for one in chosen:
        directions = []
        for place, work in enumerate(races[one]):
            contenders = {str(n): dict(enumerate(row, 1)) for n, row in enumerate(work[:-1])}
            kept = judged.kept_in(int(one), place)
            margin = float(judged.margin[one, place, 0])
            found = effects.effects(contenders, DESIGNS, FACTORS, margin, IGNORED[place], kept)
            directions += [effect.direction for effect in found]
            result = ranking.rank(contenders, margin, (), kept)
            best = result.places[0].label
            beat = any(pair.winner == best for pair in result.pairs)
            assert judged.headlines(place)[one] == beat
            best_wins += beat
        assert bought[one] == any(directions)
    assert 0 < best_wins < len(chosen) * 5


def test_a_choice_that_buys_something_is_seen_where_its_pairs_agree() -> None:
    races = races_of_equals(50, 12)
    pairs = CONTRASTS[0][1]
    assert len(pairs) == 4
    for one, _ in pairs:
        races[:, 0, one] += math.log(1.5)
    judged = simulation.judge(races, NONE)
    only = [[pairs], [], [], [], []]
    assert float(simulation.bought(races, judged, only).mean()) > 0.95
    # It buys as much again in one pair, and as little in another: there is no mean.
    races[:, 0, pairs[0][0]] += math.log(4)
    races[:, 0, pairs[1][0]] -= math.log(4)
    assert not simulation.bought(races, judged, only).any()
