"""Connections that are a part of the question; contenders that have nothing for a task."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.report import html, markdown
from race.report.claims.pairs import task_word
from race.saved.model import Cell, Load, Work
from race.saved.reader import SavedRace, load
from race.terminal.phrases import figures, work_text
from tests.support.synthetic import SMALL, Recipe, write
from tests.unit.race.reading import altered, bound

FAST, LACKS = SMALL[3], SMALL[1]
REASON = "it has no such thing"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    recipe = Recipe(engines=SMALL[:4], pages=("index", "good"), rounds=6, faults=False)
    return load(write(tmp_path_factory.mktemp("races") / "small", recipe))


def at_once(cell: Cell, number: int = 10) -> Cell:
    return changed(cell, load=changed(cell.load, connections=number, fixed=True))


def test_a_server_is_not_the_limit_where_the_generator_was_saturated_as_well(
    small: SavedRace,
) -> None:
    def generating(cell: Cell) -> Cell:
        busy = {"server": 0.97, "generator": 0.93}
        return changed(cell, saturated="server", meters={**cell.meters, "busy": busy})

    found = analyse(altered(small, generating)).comparisons[0].results[0]
    assert (found.state, found.saturated) == ("at-least", "server and generator")
    assert found.limit == "the server and generator were saturated"


def test_the_number_at_once_is_said_in_the_report(small: SavedRace) -> None:
    found = analyse(altered(small, lambda cell: bound(at_once(cell))))
    page, text = html.page(found), markdown.page(found)
    for part in ("Index, 10 at once", "nobody", "c10"):
        assert part in page, part
    assert "nobody, server 81 %" in text


def test_fixed_connections_are_said_wherever_a_load_is(small: SavedRace) -> None:
    cell = at_once(next(one for one in small.cells if one.count), 50)
    assert work_text(cell.work) == f"{cell.task} c50"
    assert task_word(cell.work) == f"{cell.task}:c50"
    message = figures(bound(cell), small.head.discipline)
    assert "at least: no core was saturated" in message


def test_several_numbers_at_once_are_comparisons_of_their_own(small: SavedRace) -> None:
    more = [at_once(cell, 50) for cell in small.cells]
    both = replace(small, cells=[*(at_once(cell, 2) for cell in small.cells), *more])
    assert [one.place for one in analyse(both).comparisons] == [
        "Index, 2 at once",
        "Index, 50 at once",
        "Good, 2 at once",
        "Good, 50 at once",
    ]


@pytest.fixture(scope="module")
def without(small: SavedRace) -> SavedRace:
    """One contender has nothing for Index."""
    cells = [cell for cell in small.cells if (cell.label, cell.task) != (LACKS, "index")]
    head = changed(small.head, unsupported={LACKS: {"index": REASON}})
    return replace(small, head=head, cells=cells)


@pytest.mark.parametrize("finished", [True, False])
def test_who_has_nothing_for_a_task_stands_last_with_its_reason(
    without: SavedRace, finished: bool
) -> None:
    head = without.head if finished else changed(without.head, finished_at=None)
    index, good = analyse(replace(without, head=head)).comparisons
    last = index.results[-1]
    assert (last.label, last.state, last.reason) == (LACKS, "unsupported", REASON)
    assert {item.state for item in index.results[:-1]} <= {"ranked", "at-least"}
    assert LACKS in {item.label for item in good.results if item.state != "unsupported"}


def test_it_is_told_without_alarm(without: SavedRace) -> None:
    found = analyse(without)
    page = html.page(found)
    assert f'<span class="rule">unsupported</span>: {REASON}' in page
    assert '<span class="failed">' not in page
    assert f"unsupported: {REASON}" in markdown.page(found)


def test_a_load_that_fills_is_closed_and_not_fixed() -> None:
    plain = Load("wrk", 10)
    assert plain.fills
    assert not changed(plain, fixed=True).fills
    assert changed(plain, fixed=True).closed
    assert not changed(plain, rate=5.0).fills
    assert Work("a", plain) != Work("a", changed(plain, fixed=True))
