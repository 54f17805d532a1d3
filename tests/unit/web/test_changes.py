"""Changes that loads posted against those that the database counted."""

from __future__ import annotations

import pytest

from race.errors import CellFailed
from race.load.generator import PostedChanges
from race.web import changes
from race.web.changes import ChangeCheck
from race.web.databases import Databases


def checked(monkeypatch: pytest.MonkeyPatch, *counts: int | None) -> ChangeCheck:
    """A check of a database that counts so many, one after the other; the first is done."""
    found = iter(counts)
    monkeypatch.setattr(changes, "count", lambda *_: next(found))
    ballots = ChangeCheck(Databases(), "tarantool")
    ballots.check("vote")
    return ballots


@pytest.mark.parametrize("counted", [110, 112])
def test_votes_agree_with_the_database(monkeypatch: pytest.MonkeyPatch, counted: int) -> None:
    ballots = checked(monkeypatch, 100, counted, counted)
    ballots.note("vote", PostedChanges(4, 1))
    ballots.note("vote", PostedChanges(6, 1))
    ballots.check("vote")
    ballots.check("vote")  # nothing was posted since


@pytest.mark.parametrize("counted", [109, 113])
def test_votes_that_do_not_agree_fail_the_cell(
    monkeypatch: pytest.MonkeyPatch, counted: int
) -> None:
    ballots = checked(monkeypatch, 100, counted)
    ballots.note("vote", PostedChanges(10, 2))
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
    ChangeCheck(Databases(), None).check("vote")


def test_each_page_has_changes_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"vote": iter((5, 7)), "sticker-edit": iter((50, 54))}
    monkeypatch.setattr(changes, "count", lambda _, __, task, ___: next(counts[task]))
    both = ChangeCheck(Databases(), "tarantool")
    both.check("vote")
    both.check("sticker-edit")
    both.note("vote", PostedChanges(2, 0))
    both.note("sticker-edit", PostedChanges(3, 0))
    both.check("vote")
    with pytest.raises(CellFailed, match=r"3 to 3 changes .* counted 4"):
        both.check("sticker-edit")
