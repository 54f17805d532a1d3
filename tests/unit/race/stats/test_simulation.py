"""The rule on many invented races; tests/long/race says how often it errs over whole reports."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

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
def test_the_simulation_applies_the_rule_of_a_race(same: list[list[list[int]]]) -> None:
    races = races_of_equals(8, 9, processes=0.02)
    judged = simulation.judge(races, same)
    pairs = list(combinations(range(9), 2))
    winners = 0
    for one in range(len(races)):
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
                found = ranking.find_pair(result.pairs, str(pair[0]), str(pair[1]))
                assert found is not None
                assert found.winner == {1: str(pair[0]), -1: str(pair[1]), 0: None}[int(verdict)]
                winners += found.winner is not None
    assert winners  # or the comparison above compared nothing


def test_equals_are_rarely_called_winners_and_differences_are_found() -> None:
    judged = simulation.judge(races_of_equals(100, 6), ARTICLE)
    assert judged.false_reports <= 0.05
    assert float(np.min(judged.power(1.5))) >= 0.95
    assert float(np.max(judged.power(1.01))) <= 0.05


def test_power_is_the_share_of_races_in_which_a_faster_contender_wins() -> None:
    """Intervals move with their pair: the power of shifted races needs no shifted races."""
    races = races_of_equals(100, 6, works=2, contenders=3)
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
    judged = simulation.judge(races_of_equals(100, 5), NONE)
    assert judged.false_reports == 0
    assert float(np.max(judged.power(3.0))) == 0


def test_the_simulation_tells_effects_and_headlines_as_a_race_does() -> None:
    """The races claim much, because processes differ by more than the margin allows for."""
    races = races_of_equals(100, 9, processes=0.08)
    judged = simulation.judge(races, NONE)
    bought = simulation.bought(races, judged.margin[:, :, 0], CONTRASTS)
    assert 5 <= bought.sum() <= len(races) - 5
    chosen = [*np.flatnonzero(bought)[:5], *np.flatnonzero(~bought)[:5]]
    best_wins = 0
    for one in chosen:
        directions = []
        for place, work in enumerate(races[one]):
            contenders = {str(n): dict(enumerate(row)) for n, row in enumerate(work[:-1])}
            margin = float(judged.margin[one, place, 0])
            found = effects.effects(contenders, DESIGNS, FACTORS, margin, IGNORED[place])
            directions += [effect.direction for effect in found]
            result = ranking.rank(contenders, margin)
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
    margin = judged.margin[:, :, 0]
    only = [[pairs], [], [], [], []]
    assert float(simulation.bought(races, margin, only).mean()) > 0.95
    # It buys as much again in one pair, and as little in another: there is no mean.
    races[:, 0, pairs[0][0]] += math.log(4)
    races[:, 0, pairs[1][0]] -= math.log(4)
    assert not simulation.bought(races, margin, only).any()
