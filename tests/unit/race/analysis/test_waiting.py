"""A race that goes on: what waits is waiting, and nothing is compared with another in silence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.model import Comparison, ContenderResult
from race.report import markdown
from race.saved.model import Cell
from race.saved.reader import SavedRace, load
from tests.support.synthetic import ARTICLE, BASELINE, Recipe, failed, write

TWIN = f"{BASELINE} (A/A)"
LAST = ARTICLE[8]


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    """A race that is not over."""
    recipe = Recipe(pages=("good",), rounds=6, faults=False, finished=False)
    return load(write(tmp_path_factory.mktemp("races") / "race", recipe))


def comparison(race: SavedRace, cells: Iterable[Cell], finished: bool = False) -> Comparison:
    head = changed(race.head, finished_at=race.head.started_at if finished else None)
    (found,) = analyse(replace(race, head=head, cells=list(cells))).comparisons
    return found


def results(found: Comparison) -> dict[str, ContenderResult]:
    return {item.label: item for item in found.results}


def started(race: SavedRace, *labels: str) -> list[Cell]:
    """The first round as far as these have run."""
    return [cell for cell in race.cells if cell.round == 1 and cell.label in labels]


def test_who_has_not_run_waits_while_the_race_goes_on(race: SavedRace) -> None:
    some = started(race, BASELINE, LAST)
    items = results(comparison(race, some))
    assert set(items) == set(ARTICLE)
    states = {label: item.state for label, item in items.items()}
    assert states == dict.fromkeys(ARTICLE, "waiting") | {
        BASELINE: "ranked",
        LAST: "ranked",
    }
    assert items[ARTICLE[0]].reason == "has not run here yet"
    assert set(results(comparison(race, some, finished=True))) == {BASELINE, LAST}


def test_a_disturbed_cell_of_the_first_round_waits_for_another(race: SavedRace) -> None:
    whole = [cell for cell in race.cells if cell.round == 1]
    cells = [
        changed(cell, status="invalid", reason="steal", throughput=4120.0)
        if cell.label == LAST
        else cell
        for cell in whole
    ]
    item = results(comparison(race, cells))[LAST]
    assert (item.state, item.reason) == ("waiting", "steal; 4,120 requests/s so far")
    # In a later round it has had its first, and in a finished race there is nothing to wait for.
    later = [*cells, *(cell for cell in race.cells if cell.round == 2 and cell.label != LAST)]
    for found in (comparison(race, later), comparison(race, cells, finished=True)):
        item = results(found)[LAST]
        assert (item.state, item.reason) == ("invalid", "steal")


def test_who_failed_does_not_wait(race: SavedRace) -> None:
    cells = [failed(cell) if cell.label == LAST else cell for cell in race.cells if cell.round == 1]
    item = results(comparison(race, cells))[LAST]
    assert (item.state, item.reason) == ("failed", "dead")


def test_the_reference_is_waited_for(race: SavedRace) -> None:
    found = comparison(race, started(race, ARTICLE[0], LAST))
    assert (found.reference, found.replaced) == (BASELINE, False)
    assert results(found)[BASELINE].state == "waiting"
    assert all(item.ratio is None for item in found.results)


def test_another_reference_is_told(race: SavedRace) -> None:
    cells = [failed(cell) if cell.label == BASELINE else cell for cell in race.cells]
    message = f"Ratios are to {ARTICLE[0]}, because the baseline {BASELINE} has no rate here."
    for finished in (False, True):
        found = comparison(race, cells, finished)
        assert (found.reference, found.replaced) == (ARTICLE[0], True)
    assert message in markdown.page(analyse(replace(race, cells=cells)))
    assert "Ratios are to" not in markdown.page(analyse(race))
