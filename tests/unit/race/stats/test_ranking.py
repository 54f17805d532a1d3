"""Signed ranks, rank sums and rankings, against examples worked by hand and against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from race.stats import rank_sum, ranking, signed_rank
from race.stats.estimate import Estimate
from race.stats.processes import RoundValues
from race.stats.verdict import Verdict, verdict, winner


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
    from scipy import stats

    random = np.random.default_rng(n)
    for _ in range(60):
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


@pytest.mark.parametrize(
    ("low", "high", "margin", "expected"),
    [
        (0.1, 0.3, 0.05, Verdict.DIFFERENT),
        (-0.3, -0.1, 0.05, Verdict.DIFFERENT),
        (0.1, 0.3, 0.1, Verdict.UNDECIDED),
        (0.01, 0.03, 0.05, Verdict.EQUAL),  # an interval that excludes 1 can be within the margin
        (-0.03, 0.03, 0.05, Verdict.EQUAL),
        (0.04, 0.17, 0.2, Verdict.UNDECIDED),  # a wide margin is no licence to call these equal
        (-0.04, 0.04, 0.05, Verdict.UNDECIDED),  # within, but not when it is 1.6 times as wide
        (-0.06, 0.01, 0.05, Verdict.UNDECIDED),
        (-0.01, 0.06, 0.05, Verdict.UNDECIDED),
        (-math.inf, math.inf, 0.05, Verdict.UNDECIDED),
        (-math.inf, math.inf, math.inf, Verdict.UNDECIDED),
        (0.1, 0.3, math.inf, Verdict.UNDECIDED),
    ],
)
def test_a_verdict_needs_the_whole_interval_on_its_side_of_the_margin(
    low: float, high: float, margin: float, expected: Verdict
) -> None:
    estimate = Estimate((low + high) / 2 if low > -math.inf else 0.2, low, high, 8)
    assert verdict(estimate, margin) is expected
    sign = (low > 0) - (high < 0) if expected is Verdict.DIFFERENT else 0
    assert (winner(estimate, margin), winner(estimate.reversed(), margin)) == (sign, -sign)


def _steady(level: float, rounds: int = 12, wobble: float = 0.004) -> RoundValues:
    return {number: level + wobble * math.sin(7 * number + 50 * level) for number in range(rounds)}


def ranks(result: ranking.Ranking) -> list[tuple[str, tuple[int, int]]]:
    """Labels in order, each with its best possible rank and its worst."""
    return [(place.label, place.ranks) for place in result.places]


def test_a_lower_bound_beats_whom_it_is_beyond_and_is_never_beaten() -> None:
    """Otherwise the fastest of a page could be without a place, and slower ones unbeaten."""
    contenders = {"fast": _steady(0.5), "slow": _steady(0.0)}
    margin = math.log(1.03)
    most = {"most": _steady(0.7), "unknown": _steady(-0.2)}
    result = ranking.rank(contenders, margin, bounds=most)
    assert ranks(result) == [("most", (1, 1)), ("fast", (2, 2)), ("slow", (3, 3))]
    middle = ranking.rank(contenders, margin, bounds={"middle": _steady(0.3)})
    assert ranks(middle) == [("fast", (1, 2)), ("middle", (1, 2)), ("slow", (3, 3))]
    same = ranking.rank(contenders, margin, [{"most", "fast", "slow"}], bounds=most)
    assert ranks(same) == [("fast", (1, 2)), ("slow", (1, 2))]
    assert [(one.first, one.second) for one in result.pairs] == [("fast", "slow")]


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
    """The true rank of equals is 1 plus the number of contenders that are truly faster."""
    random, narrow = np.random.default_rng(5), 0
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
            narrow += worst - best < 4
    assert narrow > 100


def test_pairs_use_the_rounds_they_share() -> None:
    result = ranking.rank({"a": {1: 1.0, 2: 1.0}, "b": {2: 0.0, 3: 5.0}, "c": {9: 1.0}}, 0.0)
    assert [(pair.first, pair.second) for pair in result.pairs] == [("a", "b")]
    assert result.pairs[0].estimate.value == 1.0
    assert {place.ranks for place in result.places} == {(1, 3)}
