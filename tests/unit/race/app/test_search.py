"""Bisecting: the commit that made it slower is found, or nobody is named."""

from __future__ import annotations

import math

import numpy as np
import pytest

from race.app.commits.search import TRIES, Found, Halves, Judge, Skipped, search
from race.stats import signed_rank

COMMITS = [f"c{number}" for number in range(17)]
SCATTER = 0.03


def races(costs: dict[str, float], seed: int, broken: frozenset[str] = frozenset()) -> Judge:
    """Return races of invented commits: from each named one on, a request costs so much more."""
    rng = np.random.default_rng(seed)

    def level(commit: str) -> float:
        return sum(math.log(cost) for name, cost in costs.items() if _at(name) <= _at(commit))

    def judge(old: str, candidate: str, new: str, number: int) -> Halves:
        if candidate in broken:
            raise Skipped("it cannot be built")
        noise = rng.normal(0, SCATTER, (3, 6 * 2**number))
        logs = [
            level(one) + scatter for one, scatter in zip((old, candidate, new), noise, strict=True)
        ]
        steps = (logs[1] - logs[0], logs[2] - logs[1])
        return Halves(*(signed_rank.hodges_lehmann(list(step), 0.1) for step in steps))

    return judge


def _at(commit: str) -> int:
    return COMMITS.index(commit)


@pytest.mark.parametrize("culprit", ["c1", "c7", "c8", "c16"])
def test_the_culprit_is_found(culprit: str) -> None:
    found = [search(COMMITS, races({culprit: 1.1}, seed)) for seed in range(20)]
    assert sum(one.named == culprit for one in found) >= 18
    assert all(one.left[-2:-1] == [COMMITS[_at(culprit) - 1]] for one in found if one.named)


def test_of_two_the_larger_one_is_found_and_the_other_is_said() -> None:
    found = search(COMMITS, races({"c3": 1.2, "c13": 1.5}, 1))
    assert (found.named, found.several) == ("c13", True)


def test_commits_that_cannot_be_raced_are_left_out() -> None:
    around = search(COMMITS, races({"c5": 1.2}, 2, frozenset({"c7", "c8"})))
    assert (around.named, [*around.skipped]) == ("c5", ["c8", "c7"])
    hidden = search(COMMITS, races({"c7": 1.2}, 2, frozenset({"c7"})))
    assert hidden.named is None
    assert hidden.left == ["c6", "c7", "c8"]


def test_many_small_steps_are_nobodys() -> None:
    tried: list[int] = []
    judge = races(dict.fromkeys(COMMITS, 1.004), 3)

    def counted(old: str, candidate: str, new: str, number: int) -> Halves:
        tried.append(number)
        return judge(old, candidate, new, number)

    found = search(COMMITS, counted)
    assert found.undecided
    assert found.named is None
    assert tried[-TRIES:] == [0, 1, 2]


def test_a_commit_and_its_parent_need_no_search() -> None:
    assert search(["old", "new"], races({}, 4)) == Found(["old", "new"])
