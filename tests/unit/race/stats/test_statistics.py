"""Every formula against an example worked by hand, and against scipy where scipy has it."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats

from race.stats import effects, histogram, homogeneity, little, rank_sum, ranking, signed_rank
from race.stats.estimate import Estimate, show_ratio
from race.stats.noise import Rounds


def test_hodges_lehmann_by_hand() -> None:
    # Walsh averages of 1, 2, 6: 1, 1.5, 2, 3.5, 4, 6; the median lies between 2 and 3.5.
    assert list(signed_rank.walsh_averages([6, 1, 2])) == [1, 1.5, 2, 3.5, 4, 6]
    assert signed_rank.hodges_lehmann([6, 1, 2]).value == 2.75


def test_interval_of_six_observations_is_their_range() -> None:
    # P(T = 0) = 1/64 <= 0.025 < P(T <= 1) = 2/64, so k = 1: smallest and largest Walsh average.
    assert signed_rank.interval_rank(6) == 1
    estimate = signed_rank.hodges_lehmann([0.1, 0.2, 0.3, 0.4, 0.5, 0.9])
    assert (estimate.low, estimate.high) == (0.1, 0.9)


@pytest.mark.parametrize(
    ("n", "rank"), [(5, 0), (6, 1), (7, 3), (8, 4), (9, 6), (10, 9), (12, 14), (15, 26), (20, 53)]
)
def test_interval_rank_agrees_with_printed_tables(n: int, rank: int) -> None:
    # Tables print the largest T that is significant at 5 % two-sided: 0, 2, 3, 5, 8, 13, 25, 52.
    assert signed_rank.interval_rank(n) == rank


@pytest.mark.parametrize("n", [1, 2, 5])
def test_too_few_observations_give_no_interval(n: int) -> None:
    estimate = signed_rank.hodges_lehmann([0.5] * n)
    assert not estimate.bounded
    assert estimate.as_json() == {"ratio": math.exp(0.5), "low": None, "high": None, "rounds": n}
    assert "[" not in str(estimate)


def test_no_observations_is_an_error() -> None:
    with pytest.raises(ValueError, match="no observations"):
        signed_rank.hodges_lehmann([])
    with pytest.raises(ValueError, match="no observations"):
        rank_sum.shift([], [1.0])


@pytest.mark.parametrize("n", [6, 9, 12])
def test_interval_and_test_agree(n: int) -> None:
    """The interval leaves out exactly those centres that the test at 5 % refuses."""
    random = np.random.default_rng(n)
    for _ in range(200):
        values = random.normal(random.uniform(-1, 1), 1, n)
        estimate = signed_rank.hodges_lehmann(values)
        excludes_zero = estimate.low > 0 or estimate.high < 0
        assert excludes_zero == (stats.wilcoxon(values, method="exact").pvalue <= 0.05)


def test_interval_covers_the_truth_in_95_of_100() -> None:
    random = np.random.default_rng(7)
    hits = 0
    for values in random.standard_t(3, (2000, 12)):
        estimate = signed_rank.hodges_lehmann(values)
        hits += estimate.low <= 0 <= estimate.high
    assert 0.94 <= hits / 2000 <= 0.97


def test_rank_sum_by_hand() -> None:
    # Differences of {4, 7} to {1, 2}: 3, 2, 6, 5; the median is 4.
    assert rank_sum.shift([1, 2], [4, 7]).value == 4
    # 4 and 4: P(U = 0) = 1/70 <= 0.025 < P(U <= 1) = 2/70, so the interval is the full range.
    estimate = rank_sum.shift([1, 2, 3, 4], [11, 12, 13, 14])
    assert (estimate.low, estimate.high) == (7, 13)
    assert not rank_sum.shift([1, 2, 3], [11, 12, 13]).bounded


@pytest.mark.parametrize(("m", "n", "critical"), [(5, 5, 2), (6, 8, 8), (10, 10, 23), (12, 12, 37)])
def test_rank_sum_interval_rank_agrees_with_printed_tables(m: int, n: int, critical: int) -> None:
    # Tables print the largest U that is significant at 5 % two-sided; k is one more.
    assert rank_sum.interval_rank(m, n) == critical + 1


def test_rounds_needed_by_hand() -> None:
    # 2/2^6 = 0.031 <= 0.05 < 2/2^5 = 0.063; 2/2^8 = 0.0078 <= 0.01 < 2/2^7.
    assert signed_rank.rounds_needed() == 6
    assert signed_rank.rounds_needed(alpha=0.01) == 8


def test_nobody_wins_among_those_that_run_the_same_code() -> None:
    contenders = {"a": _steady(0.0), "b": _steady(0.2), "c": _steady(0.5)}
    result = ranking.rank(contenders, math.log(1.03), [{"a", "b"}])
    assert {(one.first, one.second): one.winner for one in result.pairs} == {
        ("a", "b"): None,
        ("a", "c"): "c",
        ("b", "c"): "c",
    }
    assert ranks(result) == [("c", (1, 1)), ("b", (2, 3)), ("a", (2, 3))]


def test_winner_needs_an_interval_beyond_the_margin() -> None:
    clear = Estimate(0.2, 0.1, 0.3, 8)
    assert ranking.winner(clear, 0.05) == 1
    assert ranking.winner(clear.reversed(), 0.05) == -1
    assert ranking.winner(clear, 0.1) == 0
    assert ranking.winner(Estimate(0.2, -math.inf, math.inf, 3), 0.05) == 0
    assert ranking.winner(clear, math.inf) == 0


def _steady(level: float, rounds: int = 12, wobble: float = 0.004) -> Rounds:
    return {number: level + wobble * math.sin(7 * number + 50 * level) for number in range(rounds)}


def ranks(result: ranking.Ranking) -> list[tuple[str, tuple[int, int]]]:
    """Labels in order, each with its best possible rank and its worst."""
    return [(place.label, place.ranks) for place in result.places]


def test_a_sole_winner_is_first_and_a_tie_below_it_is_a_range() -> None:
    result = ranking.rank(
        {"slow": _steady(0.0), "slow too": _steady(0.005), "fast": _steady(0.5)}, math.log(1.03)
    )
    assert ranks(result) == [("fast", (1, 1)), ("slow too", (2, 3)), ("slow", (2, 3))]
    assert result.places[0].beats == ("slow", "slow too")
    pair = ranking.find_pair(result.pairs, "slow", "fast")
    assert pair is not None
    assert pair.winner == "fast"
    assert pair.estimate.ratio == pytest.approx(math.exp(-0.5), rel=0.01)


def test_the_ends_of_a_chain_of_ties_are_told_apart() -> None:
    # a ties with b and b with c (2 % apart), but a beats c (4 %).
    result = ranking.rank(
        {"a": _steady(0.04), "b": _steady(0.02), "c": _steady(0.0)}, math.log(1.03)
    )
    assert ranks(result) == [("a", (1, 2)), ("b", (1, 3)), ("c", (2, 3))]
    assert result.places[0].beats == ("c",)


def test_where_all_tie_each_may_have_any_rank() -> None:
    result = ranking.rank({name: _steady(0.0) for name in "abcd"}, math.log(1.03))
    assert ranks(result) == [(name, (1, 4)) for name in "abcd"]


def test_all_sets_hold_the_true_ranks_at_once() -> None:
    """Of equals the true rank is 1 and the number of those that are truly faster."""
    random, told = np.random.default_rng(5), 0
    for _ in range(100):
        true = {str(name): float(random.choice([0, 0.03, 0.06])) for name in range(5)}
        contenders = {
            name: dict(enumerate(random.normal(level, 0.02, 12))) for name, level in true.items()
        }
        for label, (best, worst) in ranks(ranking.rank(contenders, math.log(1.03))):
            faster = sum(level > true[label] for level in true.values())
            slower = sum(level < true[label] for level in true.values())
            assert best <= 1 + faster
            assert worst >= 5 - slower
            told += worst - best < 4
    assert told > 100


def test_pairs_use_the_rounds_they_share() -> None:
    result = ranking.rank({"a": {1: 1.0, 2: 1.0}, "b": {2: 0.0, 3: 5.0}, "c": {9: 1.0}}, 0.0)
    assert [(pair.first, pair.second) for pair in result.pairs] == [("a", "b")]
    assert result.pairs[0].estimate.value == 1.0
    assert {place.ranks for place in result.places} == {(1, 3)}


FACTORS = {
    "web": ("aiohttp", "sanic"),
    "loop": ("asyncio", "uvloop"),
    "backend": ("tarantool", "postgres"),
    "python": (),
}


def _design(*levels: str) -> dict[str, str]:
    return dict(zip(FACTORS, levels, strict=True))


def test_effects_by_hand() -> None:
    """uvloop buys exp(0.3) and exp(0.31) on two pairs: exp(0.305) on the mean, in every round."""
    designs = {
        "aiohttp": _design("aiohttp", "asyncio", "tarantool", "3.13"),
        "aiohttp, uvloop": _design("aiohttp", "uvloop", "tarantool", "3.13"),
        "sanic": _design("sanic", "asyncio", "tarantool", "3.13"),
        "sanic, uvloop": _design("sanic", "uvloop", "tarantool", "3.13"),
        "other": _design("sanic", "asyncio", "postgres", "3.7"),
    }
    levels = {"aiohttp, uvloop": 0.3, "sanic, uvloop": 0.31}
    contenders = {name: _steady(levels.get(name, 0.0), wobble=0) for name in designs}
    found = {
        (effect.factor, effect.level, effect.reference): effect
        for effect in effects.effects(contenders, designs, FACTORS, math.log(1.03))
    }
    loop = found["loop", "uvloop", "asyncio"]
    assert loop.estimate is not None
    assert loop.estimate.value == pytest.approx(0.305)
    assert loop.pairs == (("aiohttp, uvloop", "aiohttp"), ("sanic, uvloop", "sanic"))
    assert [one.value for one in loop.estimates] == pytest.approx([0.3, 0.31])
    assert (loop.agree, loop.direction) == (True, 1)
    # "other" differs from everyone in two factors: it proves nothing about either.
    assert list(found) == [("web", "sanic", "aiohttp"), ("loop", "uvloop", "asyncio")]


def _two_pairs(apart: float, wobble: float) -> effects.Effect:
    """uvloop against asyncio on two frameworks, on one it buys `apart` more."""
    random = np.random.default_rng(11)
    designs = {
        f"{web} {loop}": {"web": web, "loop": loop}
        for web in ("aiohttp", "sanic")
        for loop in ("asyncio", "uvloop")
    }
    levels = {"aiohttp uvloop": 0.2, "sanic uvloop": 0.2 + apart}
    contenders = {
        name: dict(enumerate(levels.get(name, 0.0) + random.normal(0, wobble, 9)))
        for name in designs
    }
    found = effects.effects(contenders, designs, FACTORS, math.log(1.03))
    return next(one for one in found if one.factor == "loop")


def test_pairs_that_disagree_have_no_mean() -> None:
    together = _two_pairs(0.0, 0.01)
    assert together.agree
    assert together.estimate is not None
    assert together.direction == 1
    assert together.p_homogeneous > 0.05
    apart = _two_pairs(0.3, 0.01)
    assert (apart.agree, apart.estimate, apart.direction) == (False, None, 0)
    assert [round(one.value, 1) for one in apart.estimates] == [0.2, 0.5]


def test_a_spread_that_does_not_matter_is_no_disagreement() -> None:
    """Two percent more on one framework: homogeneity is refused, and nobody would care."""
    found = _two_pairs(0.02, 0.002)
    assert found.p_homogeneous <= 0.05
    assert found.agree


def test_homogeneity_decides_where_no_interval_lies_beyond_the_margin() -> None:
    """4 % more on one framework in all six rounds, 2 % in one: p = 2/64, from 1.02 to 1.06."""
    more = [0.02, 0.03, 0.04, 0.05, 0.06, 0.04]
    contenders = {
        "aiohttp": dict.fromkeys(range(6), 0.0),
        "aiohttp, uvloop": dict.fromkeys(range(6), 0.2),
        "sanic": dict.fromkeys(range(6), 0.0),
        "sanic, uvloop": dict(enumerate(0.2 + one for one in more)),
    }
    designs = {
        name: {"web": name.split(",")[0], "loop": "uvloop" if "," in name else "asyncio"}
        for name in contenders
    }
    found = effects.effects(contenders, designs, FACTORS, math.log(1.03))
    loop = next(one for one in found if one.factor == "loop")
    assert loop.p_homogeneous == 2 / 64
    assert (loop.agree, loop.estimate) == (False, None)
    wide = effects.effects(contenders, designs, FACTORS, math.log(1.05))
    assert next(one for one in wide if one.factor == "loop").agree


def test_two_pairs_that_clearly_differ_disagree_whatever_noisy_ones_hide() -> None:
    random = np.random.default_rng(9)
    wild: list[float] = random.normal(0.15, 0.5, 9).tolist()
    buys = {"a": [0.1] * 9, "b": [0.2] * 9, "c": wild}
    contenders = {name: dict.fromkeys(range(9), 0.0) for name in buys}
    contenders |= {f"{name}, uvloop": dict(enumerate(found)) for name, found in buys.items()}
    designs = {
        name: {"web": name[0], "loop": "uvloop" if "," in name else "asyncio"}
        for name in contenders
    }
    found = effects.effects(contenders, designs, FACTORS, math.log(1.03))
    loop = next(one for one in found if one.factor == "loop")
    assert loop.p_homogeneous > 0.05
    assert not loop.agree


def test_effects_of_a_factor_that_is_ignored_are_not_shown() -> None:
    contenders = {name: _steady(0.0) for name in ("a", "b", "c")}
    designs = {
        "a": {"loop": "asyncio", "backend": "tarantool"},
        "b": {"loop": "uvloop", "backend": "tarantool"},
        "c": {"loop": "asyncio", "backend": "postgres"},
    }
    shown = effects.effects(contenders, designs, FACTORS, 0.1, ignored=("backend",))
    assert [one.factor for one in shown] == ["loop"]


def test_homogeneity_by_hand() -> None:
    # Two columns, three rounds, always the second larger: 2 of 8 orders spread the sums as far.
    assert homogeneity.p_value(np.array([[0.0, 1], [0, 2], [0, 3]])) == 2 / 8
    # Differences 1, 2, -4: sums of +-1 +-2 +-4 at least 1 away from 0: all 8.
    assert homogeneity.p_value(np.array([[0.0, 1], [0, 2], [4, 0]])) == 1
    assert homogeneity.p_value(np.array([[1.0], [2.0]])) == 1


def test_homogeneity_of_two_is_fishers_test_of_the_differences() -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
        table = random.normal(0, 1, (7, 2)) + np.array([0, 0.5])
        found = stats.permutation_test(
            (table[:, 0] - table[:, 1],),
            np.sum,
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert homogeneity.p_value(table) == pytest.approx(found.pvalue)


def test_homogeneity_of_many_refuses_equal_columns_in_5_of_100() -> None:
    random = np.random.default_rng(5)
    tables = random.standard_t(3, (300, 6, 4))
    refused = np.mean([homogeneity.p_value(table) <= 0.05 for table in tables])
    assert 0.02 <= refused <= 0.08
    shifted = tables[:50] / 10 + np.array([0, 0, 0, 1])
    assert all(homogeneity.p_value(table) < 0.05 for table in shifted)


def test_effects_compare_levels_without_an_order_of_their_own_by_their_numbers() -> None:
    contenders = {"old": _steady(0.0), "new": _steady(0.3)}
    designs = {"old": {"python": "3.7"}, "new": {"python": "3.13"}}
    (effect,) = effects.effects(contenders, designs, {"python": ()}, math.log(1.03))
    assert (effect.factor, effect.level, effect.reference) == ("python", "3.13", "3.7")
    assert effect.estimate is not None
    assert effect.estimate.value > 0
    assert (effect.p_homogeneous, effect.agree) == (1, True)


def test_who_lacks_a_factor_that_others_have_is_not_comparable() -> None:
    both = {"web": "sanic", "python": "3.13"}
    designs = {"whole": both, "program": {"python": "3.13"}, "nothing": {}}
    assert list(effects.comparable(designs, FACTORS)) == ["whole"]
    assert list(effects.comparable(designs, {"python": ()})) == ["whole", "program"]
    extra = {"whole": both, "more": {**both, "undeclared": "x"}}
    assert list(effects.comparable(extra, FACTORS)) == ["whole", "more"]


def test_contenders_are_matched_on_factors_of_any_name() -> None:
    contenders = {name: _steady(0.0) for name in ("a", "b", "c")}
    one = {"render": "jinja", "workers": "1"}
    designs = {"a": one, "b": {**one, "render": "prepared"}, "c": {"render": "x", "workers": "2"}}
    found = effects.effects(contenders, designs, {"render": ["jinja"], "workers": []}, 0.1)
    assert [(one.factor, one.level, one.pairs) for one in found] == [
        ("render", "prepared", (("b", "a"),))
    ]


@pytest.mark.parametrize(
    ("levels", "declared", "ordered"),
    [
        (("3.13", "3.7"), (), ["3.7", "3.13"]),
        (("10", "2", "1"), (), ["1", "2", "10"]),
        (("query", "pool", "one"), ("one", "pool", "query"), ["one", "pool", "query"]),
        (("b", "new", "a", "a"), ("b",), ["b", "a", "new"]),
    ],
)
def test_order_of_levels(
    levels: tuple[str, ...], declared: tuple[str, ...], ordered: list[str]
) -> None:
    assert effects.in_order(levels, declared) == ordered


def test_a_level_without_a_pair_is_named_with_what_else_differs() -> None:
    designs = [
        _design("aiohttp", "asyncio", "tarantool", "3.13"),
        _design("sanic", "asyncio", "tarantool", "3.7"),
        _design("sanic", "uvloop", "tarantool", "3.7"),
    ]
    assert [(one.factor, one.level, one.also) for one in effects.unmatched(designs, FACTORS)] == [
        ("web", "sanic", ("python",)),
        ("python", "3.13", ("web",)),
    ]


def test_percentiles_of_merged_histograms_by_hand() -> None:
    # 99 fast requests in one cell, 1 of 1 slow in the other: together p50 and p99 are fast and
    # p99.9 is slow, while the mean of the two medians (5050) was never seen by anyone.
    merged = histogram.merge([[(100.0, 60), (200.0, 39)], [(10_000.0, 1)]])
    assert merged == [(100.0, 60), (200.0, 39), (10_000.0, 1)]
    assert histogram.percentile(merged, 50) == 100
    assert histogram.percentile(merged, 60) == 100
    assert histogram.percentile(merged, 60.1) == 200
    assert histogram.percentile(merged, 99) == 200
    assert histogram.percentile(merged, 99.9) == 10_000
    assert histogram.percentile(merged, 100) == 10_000
    assert histogram.percentile([], 50) is None


def test_percentile_agrees_with_numpy() -> None:
    values = np.sort(np.random.default_rng(3).integers(1, 500, 999)).astype(float)
    merged = histogram.merge([[(value, 1)] for value in values])
    for percent in (1, 25, 50, 90, 99, 99.9):
        expected = np.percentile(values, percent, method="inverted_cdf")
        assert histogram.percentile(merged, percent) == expected


def test_littles_law_by_hand() -> None:
    # 5,000 requests/s of 20 ms each are 100 under way: all of 100 connections, half of 200.
    # Of 100 connections the end of one second cuts off half a wait of 0.2 s each: 10 are not seen.
    assert little.expected(100, 200_000, 1.0) == pytest.approx(90)
    assert little.utilisation(45, 100, 200_000, 1.0) == pytest.approx(0.5)
    # A wait as long as the cell: half of it is seen at most.
    assert little.expected(100, 5e6, 1.0) == 50


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.968, "0.97"), (1.084, "1.08"), (3.14, "3.1"), (1234.5, "1,234")]
)
def test_ratios_are_shown_with_few_digits(ratio: float, text: str) -> None:
    assert show_ratio(ratio) == text


@pytest.mark.parametrize(
    ("ratio", "low", "high", "text"),
    [
        # Half-width 0.05: a tenth of it is 0.005, so three decimals.
        (1.3127, 1.2628, 1.3622, "1.313× [1.262, 1.363]"),
        (0.9712, 0.9651, 0.9773, "0.9712× [0.9651, 0.9773]"),
        (1.15, 0.15, 2.15, "1.15× [0.15, 2.15]"),  # 1.15 / 0.01 is 114.99999999999999
        (3.1, 2.11, 4.19, "3.1× [2.1, 4.2]"),
        (31.04, 21.04, 41.06, "31× [21, 42]"),
        (1500.4, 1200.4, 1800.6, "1,500× [1,200, 1,801]"),
        (1.0, 1.0, 1.0, "1.00× [1.00, 1.00]"),
    ],
)
def test_intervals_are_rounded_outwards(ratio: float, low: float, high: float, text: str) -> None:
    middle, least, most = (math.log(one) for one in (ratio, low, high))
    assert str(Estimate(middle, least, most, 9)) == text


def _bare(estimate: Estimate) -> str:
    """Without thousands separators."""
    return re.sub(r"(?<=\d),(?=\d)", "", str(estimate))


def test_what_is_printed_holds_what_was_computed_and_hardly_more() -> None:
    random = np.random.default_rng(1)
    for value, half in zip(random.normal(0, 1.5, 500), random.exponential(0.1, 500), strict=True):
        estimate = Estimate(value, value - half, value + half, 9)
        _, low, high = (float(number) for number in re.findall(r"\d[\d.]*", _bare(estimate)))
        true_low, true_high = math.exp(estimate.low), math.exp(estimate.high)
        width = true_high - true_low
        assert low <= true_low * (1 + 1e-9)
        assert high >= true_high * (1 - 1e-9)
        assert high - low <= 1.11 * width
