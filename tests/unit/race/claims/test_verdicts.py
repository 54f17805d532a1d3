"""The verdict on a claim: every rule, on both sides of its border."""

from __future__ import annotations

import math

import pytest

from race.report.claims.article import FASTER, Claimed, Range
from race.report.claims.verdicts import (
    AHEAD,
    BEHIND,
    EQUAL,
    HOLDS,
    NO_DIFFERENCE,
    REFUTED,
    UNDECIDED,
    WEAKER,
    MeasuredRatio,
    judged,
)
from race.stats.estimate import Estimate

INF = math.inf


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(math.log(value), math.log(low), math.log(high), 9)


@pytest.mark.parametrize(
    ("claimed", "measured", "winner", "verdict"),
    [
        # At least so much: the whole interval.
        ((3, INF), (3.4, 3.0, 3.8), 1, HOLDS),
        ((3, INF), (3.4, 2.99, 3.8), 1, UNDECIDED),
        ((3, INF), (2.9, 2.7, 3.0), 1, UNDECIDED),
        ((3, INF), (2.8, 2.7, 2.99), 1, WEAKER),
        ((3, INF), (3.4, 3.1, 3.8), 0, UNDECIDED),
        ((3, INF), (2.0, 0.5, 9.0), 0, UNDECIDED),
        ((3, INF), (0.5, 0.4, 0.6), -1, REFUTED),
        # Faster: a winner.
        ((1, INF), (1.1, 1.06, 1.2), 1, HOLDS),
        ((1, INF), (1.1, 1.01, 1.2), 0, UNDECIDED),
        ((1, INF), (0.9, 0.85, 0.95), -1, REFUTED),
        # A figure or a range: the estimate near it, and the interval reaching it.
        ((1.22, 1.28), (1.25, 1.2, 1.3), 1, HOLDS),
        ((1.22, 1.28), (1.12, 1.05, 1.23), 1, HOLDS),
        ((1.22, 1.28), (1.10, 1.05, 1.23), 1, UNDECIDED),
        ((1.22, 1.28), (1.40, 1.27, 1.6), 1, HOLDS),
        ((1.22, 1.28), (1.42, 1.27, 1.6), 1, UNDECIDED),
        ((1.22, 1.28), (1.30, 1.29, 1.4), 1, HOLDS),
        ((1.22, 1.28), (1.20, 1.15, 1.21), 1, WEAKER),
        ((1.22, 1.28), (1.25, 0.9, 1.5), 0, UNDECIDED),
        ((1.22, 1.28), (1.5, 1.4, 1.6), 0, UNDECIDED),
        ((1.22, 1.28), (0.8, 0.7, 0.9), -1, REFUTED),
        ((7, 7), (7.2, 6.5, 8.0), 1, HOLDS),
        ((7, 7), (8.0, 6.5, 9.0), 1, UNDECIDED),
        # No more than so much: nobody has to win.
        ((0.91, INF), (0.97, 0.92, 1.02), 0, HOLDS),
        ((0.91, INF), (0.95, 0.92, 0.97), -1, HOLDS),
        ((0.91, INF), (0.95, 0.90, 1.02), 0, UNDECIDED),
        ((0.91, INF), (0.85, 0.8, 0.90), -1, REFUTED),
        # Equal: shown to be, not unknown.
        ((1, 1), (1.0, 0.985, 1.015), 0, HOLDS),
        ((1, 1), (1.0, 0.96, 1.02), 0, UNDECIDED),
        ((1, 1), (1.05, 1.04, 1.06), 1, UNDECIDED),
        ((1, 1), (1.0, 0.90, 1.09), 0, UNDECIDED),
        ((1, 1), (1.0, 0.5, 2.0), 0, UNDECIDED),
        ((1, 1), (1.0, 0.92, 1.11), 0, UNDECIDED),
        ((1, 1), (1.3, 1.11, 1.4), 0, REFUTED),
        ((1, 1), (0.7, 0.6, 0.90), -1, REFUTED),
    ],
)
def test_a_verdict_is_by_interval_and_winner(
    claimed: Range, measured: tuple[float, float, float], winner: int, verdict: str
) -> None:
    assert judged(Claimed(claimed), MeasuredRatio(estimate(*measured), winner))[0] == verdict


@pytest.mark.parametrize(
    ("measured", "why"),
    [((0.5, 0.4, 0.9), BEHIND), ((1.0, 0.9, 1.1), NO_DIFFERENCE), ((1.2, 1.1, 1.3), AHEAD)],
)
def test_nothing_is_weaker_where_nobody_won(measured: tuple[float, float, float], why: str) -> None:
    for claimed in ((3, INF), (3, 4)):
        assert judged(Claimed(claimed), MeasuredRatio(estimate(*measured), 0)) == (REFUTED, why)


def test_who_is_shown_to_be_equal_is_not_faster() -> None:
    """The interval must lie within both margin and tolerance: a race that sees little shows
    nothing.
    """
    within = estimate(1.001, 0.99, 1.012)
    wide, narrow = math.log(1.5), math.log(1.03)
    assert judged(Claimed(FASTER), MeasuredRatio(within, 0, narrow)) == (REFUTED, EQUAL)
    assert judged(Claimed(FASTER), MeasuredRatio(within, 0, wide)) == (REFUTED, EQUAL)
    assert (
        judged(Claimed(FASTER), MeasuredRatio(estimate(1.01, 0.96, 1.03), 0, narrow))[0]
        == UNDECIDED
    )
    assert judged(Claimed(FASTER), MeasuredRatio(estimate(1.2, 1.02, 1.4), 0, wide))[0] == UNDECIDED


def test_a_claim_states_its_own_tolerance() -> None:
    found = MeasuredRatio(estimate(1.0, 0.98, 1.02), 0, math.log(1.4))
    assert judged(Claimed((1, 1)), found)[0] == HOLDS
    assert judged(Claimed((1, 1), 1.03), found)[0] == UNDECIDED
    near = MeasuredRatio(estimate(2.3, 1.9, 2.6), 1)
    assert judged(Claimed((2, 2)), near)[0] == UNDECIDED
    assert judged(Claimed((2, 2), 1.2), near)[0] == HOLDS


def test_without_an_interval_nothing_is_decided() -> None:
    unbounded = Estimate(1.0, -math.inf, math.inf, 3)
    claimed = Claimed((2, 2))
    assert judged(claimed, MeasuredRatio(unbounded, 0)) == (
        UNDECIDED,
        "too few rounds for an interval",
    )
    assert judged(claimed, MeasuredRatio(None, 0)) == (UNDECIDED, "")


@pytest.mark.parametrize(
    ("claimed", "measured", "winner", "verdict"),
    [
        ((3, INF), (3.4, 3.1, 3.8), 1, HOLDS),
        ((3, INF), (2.0, 1.9, 2.1), 1, UNDECIDED),
        ((3, INF), (0.5, 0.4, 0.6), -1, UNDECIDED),
        ((3, 4), (3.9, 3.1, 4.5), 1, HOLDS),
        ((3, 4), (5.0, 4.1, 6.0), 1, HOLDS),
        ((3, 4), (3.4, 2.9, 3.8), 1, UNDECIDED),
        ((1, INF), (1.0, 0.99, 1.01), 0, UNDECIDED),
        ((1, INF), (1.2, 1.02, 1.4), 0, UNDECIDED),
        ((0.91, INF), (1.0, 0.92, 1.1), 0, HOLDS),
        ((0.91, INF), (0.8, 0.7, 0.9), -1, UNDECIDED),
        ((1, 1), (1.0, 0.99, 1.01), 0, UNDECIDED),
        ((1, 1), (1.3, 1.2, 1.4), 1, REFUTED),
        ((1, 1), (0.7, 0.6, 0.8), -1, UNDECIDED),
    ],
)
def test_of_a_lower_bound_only_what_a_larger_one_would_not_change(
    claimed: Range, measured: tuple[float, float, float], winner: int, verdict: str
) -> None:
    found = MeasuredRatio(estimate(*measured), winner, bound=True)
    assert judged(Claimed(claimed), found)[0] == verdict
