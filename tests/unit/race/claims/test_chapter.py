"""The chapter of claims in the report of one race."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.report.claims import chapter
from race.report.claims.chapter import render
from race.saved.reader import SavedRace
from tests.support.synthetic import BASELINE

FAST = "sanic-tarantool-one"
FILE = """
title = "An <article>"
source = "Somebody, 2017"
conditions = "one core"
differs = "two cores"
place = 1
[[claims]]
text = "sanic is faster"
said = "2 & more"
ratio = [1.1, inf]
[[claims.here]]
race = "{race}"
tasks = ["ugly", "index"]
first = "sanic-tarantool-one"
second = "aiohttp-tarantool-one"
[[claims.here]]
race = "other"
tasks = ["wide:c10"]
first = "a"
second = "b"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(chapter, "CLAIMS", tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def found(small: SavedRace) -> Analysis:
    return analyse(small)


def put(folder: Path, race: str = "article") -> None:
    (folder / "one.toml").write_text(FILE.format(race=race))


def test_rows_that_ask_for_this_scenario_are_shown(found: Analysis, folder: Path) -> None:
    put(folder)
    text = str(render(found))
    for part in (
        "An &lt;article&gt;",
        "Somebody, 2017. There: one core",
        "2 &amp; more",
        f'data-label="task">ugly</td><td class="" data-label="first">{FAST}</td>',
        f'<span class="above">{FAST}</span></td><td class="" data-label="second">',
        f'data-label="second">{BASELINE}</td>',
        "race claim small TASK FIRST SECOND",
        "<strong>holds</strong>",
        "two cores",
        "<dt>holds</dt>",
    ):
        assert part in text, part
    assert "wide" not in text
    assert "<dt>weaker</dt>" not in text
    assert text.count('<th scope="row" class="">1.1 sanic is faster</th>') == 1
    assert text.count('<span class="above">1.1 sanic is faster</span>') == 1


def test_where_nobody_asks_there_is_no_chapter(found: Analysis, folder: Path) -> None:
    put(folder, race="other")
    assert render(found) is None


def test_a_race_without_a_scenario_has_none(small: SavedRace, folder: Path) -> None:
    put(folder)
    head = changed(small.head, scenario={})
    assert render(analyse(SavedRace(small.folder, head, small.cells, []))) is None


def test_claims_that_cannot_be_read_are_one_line_of_a_report(found: Analysis, folder: Path) -> None:
    (folder / "bad.toml").write_text("title = <")
    text = str(render(found))
    assert "bad.toml: " in text
    assert "<table" not in text


def test_the_claims_of_the_project_are_in_the_report_of_their_race(found: Analysis) -> None:
    """The invented race is called `article`, as one that they ask for."""
    text = str(render(found))
    assert "Python and Tarantool Races in the Loop" in text
    assert "good was not raced in small" in text
