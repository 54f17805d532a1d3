"""Votes that loads posted against those that the database counted."""

from __future__ import annotations

import pytest

from race.errors import CellFailed
from race.web import votes
from race.web.databases import Databases
from race.web.votes import PostedVotes, VoteCheck


def checked(monkeypatch: pytest.MonkeyPatch, *counts: int | None) -> VoteCheck:
    """VoteCheck of a database that counts so many, one check after the other; the first is done."""
    found = iter(counts)
    monkeypatch.setattr(votes, "count", lambda *_: next(found))
    ballots = VoteCheck(Databases(), "tarantool")
    ballots.check("vote")
    return ballots


@pytest.mark.parametrize("counted", [110, 112])
def test_votes_agree_with_the_database(monkeypatch: pytest.MonkeyPatch, counted: int) -> None:
    ballots = checked(monkeypatch, 100, counted, counted)
    ballots.note(PostedVotes(4, 1))
    ballots.note(PostedVotes(6, 1))
    ballots.check("vote")
    ballots.check("vote")  # nothing was posted since


@pytest.mark.parametrize("counted", [109, 113])
def test_votes_that_do_not_agree_fail_the_cell(
    monkeypatch: pytest.MonkeyPatch, counted: int
) -> None:
    ballots = checked(monkeypatch, 100, counted)
    ballots.note(PostedVotes(10, 2))
    with pytest.raises(CellFailed, match=f"10 to 12 .* the database counted {counted - 100}"):
        ballots.check("vote")


def test_a_load_that_broke_off_leaves_nothing_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    ballots = checked(monkeypatch, 100, 105, 107)
    ballots.lose_count()
    ballots.check("vote")
    with pytest.raises(CellFailed):
        ballots.check("vote")


def test_other_pages_and_databases_elsewhere_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    ballots = checked(monkeypatch, None, 5)
    ballots.check("vote")
    ballots.check("good")
    VoteCheck(Databases(), None).check("vote")
