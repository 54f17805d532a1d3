"""The table: what survived, what did not, what could not be tried."""

from __future__ import annotations

from chaos.lab import Fault
from chaos.seen import Seen, Votes
from chaos.table import Row, Run, page, table, verdict

FAULT = Fault("a fault", "It holds.", 1.0, lambda lab: iter(()))
WELL = Row(FAULT, Seen("one", "3 kills", "x | y", [0.5, 2.0, 1.0], Votes(1200, 2, 1201)))
ILL = Row(FAULT, Seen("two", "1 kill", votes=Votes(10, 0, 9), wrong=["a", "b", "c", "d"]))
ABSENT = Row(FAULT, Seen("three", "", "not tried: no tarantool"))


def test_votes_are_held_against_what_was_acknowledged() -> None:
    assert Votes(5, 0, 5).wrong == []
    assert Votes(5, 2, 7).wrong == []
    assert Votes(5, 2, 4).wrong == ["5 to 7 votes acknowledged, 4 counted"]
    assert Votes(5, 2, 8).wrong == ["5 to 7 votes acknowledged, 8 counted"]
    assert Votes(5, 0, 6).wrong == ["5 votes acknowledged, 6 counted"]


def test_a_row_says_what_was_seen() -> None:
    text = table([WELL]).splitlines()[-1]
    assert "| 1.00 s, 2.00 s | 1,200 / 1,201 (2 undecided) | yes |" in text
    assert "x \\| y" in text


def test_a_row_says_what_went_wrong_in_bounds() -> None:
    assert "no: a; b; c; and 2 more" in table([ILL])
    assert ILL.wrong[-1] == "10 votes acknowledged, 9 counted"


def test_what_was_not_tried_survived_nothing() -> None:
    assert table([ABSENT]).splitlines()[-1].endswith("| not tried |")
    assert verdict([WELL, ILL, ABSENT]) == "1 of 2 survived; 1 could not be tried here."
    assert verdict([WELL]) == "1 of 1 survived."


def test_the_page_says_when_where_and_what_was_promised() -> None:
    text = page(Run("2026-11-22", "abc", "2 cores", "11", 12.4, short=False, rows=[WELL, ILL]))
    assert "on 2026-11-22, to commit abc, on 2 cores: seed 11,\n12 minutes. 1 of 2" in text
    assert text.count("- **a fault**: It holds.") == 1
    assert all(line.count("|") in (0, 8, 9) for line in text.splitlines())
