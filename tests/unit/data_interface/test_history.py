"""A month of plausible votes: the same everywhere, and nothing but history."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from data_interface.history import votes_of
from data_interface.reports.rows import DAY, DAYS
from data_interface.stickers import catalogue
from tests.support.stores.bench import NOW

TODAY = NOW // DAY


@pytest.mark.parametrize(
    ("day", "number", "digest"),
    [(20_573, 393, "f7e20b51794ad5ff"), (20_574, 452, "f648f1cc4f845c01")],
)
def test_a_day_is_the_same_on_every_interpreter(day: int, number: int, digest: str) -> None:
    votes = [tuple(one) for one in votes_of(day)]
    assert len(votes) == number
    assert hashlib.sha256(repr(votes).encode()).hexdigest().startswith(digest)


def test_a_month_is_plausible() -> None:
    """Nobody wins or loses more than the catalogue says; people sleep, and come back."""
    votes = [one for day in range(TODAY - DAYS + 1, TODAY + 1) for one in votes_of(day)]
    assert 8_000 < len(votes) < 20_000
    _, stickers = catalogue()
    wins, losses = Counter(one.winner for one in votes), Counter(one.loser for one in votes)
    for sticker in stickers:
        assert wins[sticker.id] <= sticker.up
        assert losses[sticker.id] <= sticker.down
    assert all(one.winner != one.loser and 0 < one.voter < 2**44 for one in votes)
    hours = Counter(one.moment % DAY // 3600 for one in votes)
    assert hours[4] * 10 < hours[20]
    days = Counter(voter for voter, _ in {(one.voter, one.moment // DAY) for one in votes})
    assert len(days) > 500
    assert 0.2 < sum(number == 1 for number in days.values()) / len(days) < 0.6
    assert max(days.values()) > 15


def test_a_day_s_votes_are_of_that_day_and_in_order() -> None:
    votes = votes_of(TODAY)
    assert votes == sorted(votes)
    assert {one.moment // DAY for one in votes} == {TODAY}
