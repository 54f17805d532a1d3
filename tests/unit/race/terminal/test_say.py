"""Text on a terminal: whole words and names, or whole lines."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from race.plan.forecast import Plan
from race.saved.model import Contender
from race.terminal.plan_text import plan_text
from race.terminal.say import say, tell
from tests.support import records, toy

LABELS = ["sanic-tarantool-one-uvloop, prepared", "aiohttp-tarantool-one (A/A)", "a [b] and \\c"]
CONTENDERS: list[Contender] = [records.contender(label) for label in LABELS]


def console(width: int, terminal: bool = True) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)


def printed(to: Console) -> list[str]:
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue().splitlines()


@pytest.mark.parametrize("width", range(40, 81, 5))
def test_a_plan_is_told_in_whole_words_and_names(width: int) -> None:
    to = console(width)
    lines = list(plan_text(Plan(toy.Toys(), toy.scenario(), CONTENDERS, [])))
    for line in lines:
        tell(to, line)
    found = printed(to)
    assert max(map(len, found)) <= width
    assert sum(not line.startswith("  ") for line in found) == len(lines)
    for label in LABELS:
        assert any(label in line for line in found), found
    words = " ".join(lines).replace("\u00a0", " ").split()
    assert " ".join(found).split() == words


def test_a_word_that_is_too_long_stays_whole() -> None:
    to, name = console(20), "japronto-tarantool-one-uvloop"
    tell(to, f"left out: {name}: why")
    assert printed(to) == ["left out:", f"  {name}:", "  why"]


def test_without_a_terminal_there_are_80_columns() -> None:
    to = console(200, terminal=False)
    tell(to, "word " * 100)
    assert 70 < max(map(len, printed(to))) <= 80


def test_what_is_pasted_is_one_line() -> None:
    to = console(20)
    say(to, "race resume one --results ./races/of/mine")
    assert len(printed(to)) == 1
