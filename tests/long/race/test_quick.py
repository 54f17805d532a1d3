"""The published runs of the default race say what the long one says, where that says much."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations

import pytest

from race.analysis.analyse import analyse
from race.analysis.model import Comparison
from race.paths import PUBLISHED
from race.saved.reader import load
from race.stats import noise
from race.stats.ranking import Pair
from race.stats.verdict import winner

QUICK = {"quick-1": 68, "quick-2": 68, "quick-3": 65, "quick-4": 69, "quick-5": 69, "quick-6": 69}
"""The number of large differences that each finds, as docs/results/README.md says."""
ARTICLE = ["article-1", "article-2"]
LARGE = math.log(1.25)
IN_ALL = 69


@cache
def comparisons(run: str) -> dict[str, Comparison]:
    """Return the comparisons by page; the default race has no pipelined ones."""
    found = analyse(load(PUBLISHED / run)).closed()
    return {one.work.task: one for one in found if one.work.load.pipeline == 1}


def won(comparison: Comparison, least: float = 0.0) -> set[tuple[str, str]]:
    """Return winner and loser of each pair whose whole interval is over `least`."""
    return {turned(pair) for pair in comparison.pairs if pair.winner and sure(pair) > least}


def turned(pair: Pair) -> tuple[str, str]:
    """Return the winner and the loser of a pair."""
    return (pair.first, pair.second) if pair.winner == pair.first else (pair.second, pair.first)


def sure(pair: Pair) -> float:
    """Return the least difference that the pair's interval allows."""
    return max(pair.estimate.low, -pair.estimate.high)


def large(page: str) -> set[tuple[str, str]]:
    """Return the large differences that both long runs find."""
    one, two = (won(comparisons(run)[page], LARGE) for run in ARTICLE)
    return one & two


@pytest.mark.parametrize("run", QUICK)
def test_five_minutes_find_large_differences(run: str) -> None:
    found = {page: (large(page), won(comparison)) for page, comparison in comparisons(run).items()}
    assert all(known & said for known, said in found.values())
    assert sum(len(known) for known, _ in found.values()) == IN_ALL
    assert sum(len(known & said) for known, said in found.values()) == QUICK[run]
    turned_round = [{(two, one) for one, two in known} & said for known, said in found.values()]
    assert not any(turned_round)


@pytest.mark.parametrize("run", QUICK)
def test_nobody_wins_who_runs_the_same_code(run: str) -> None:
    """The margin is the A/A twin's alone, because the race's own includes these differences."""
    controlled = [comparison for comparison in comparisons(run).values() if comparison.controls]
    assert {comparison.work.task for comparison in controlled} == {"ugly", "about"}
    for comparison in controlled:
        assert comparison.controls is not None
        assert comparison.noise is not None
        margin = float(noise.margin(comparison.noise.estimate.bound))
        groups = comparison.controls.groups
        same = {frozenset(two) for group in groups for two in combinations(group, 2)}
        found = [pair for pair in comparison.pairs if {pair.first, pair.second} in same]
        assert len(found) >= len(same) / 2
        assert [pair for pair in found if winner(pair.estimate, margin)] == []
