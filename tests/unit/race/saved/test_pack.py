"""A packed race is smaller and says the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from race.analysis.analyse import analyse
from race.report import markdown
from race.saved.model import CALIBRATION
from race.saved.pack import coarsened, pack
from race.saved.reader import CELLS_FILE, PACKED_FILE, load
from tests.support.synthetic import ARTICLE, Recipe, write

RECIPE = Recipe(engines=ARTICLE[1:3], pages=("good", "ugly"), rates=(1000.0,), rounds=6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "race", RECIPE)


def test_a_packed_race_gives_the_same_report_and_the_same_bytes(folder: Path) -> None:
    before = load(folder)
    pack(folder)
    after, packed = load(folder), (folder / PACKED_FILE).read_bytes()
    assert not (folder / CELLS_FILE).exists()
    assert markdown.page(analyse(after)) == markdown.page(analyse(before))
    pack(folder)
    assert (folder / PACKED_FILE).read_bytes() == packed


def test_cells_of_the_calibration_keep_no_histogram(folder: Path) -> None:
    cells = load(folder).cells
    packed = coarsened([replace(cells[0], round=CALIBRATION), *cells])
    assert packed[0].histogram == []
    assert packed[1].histogram


def test_histograms_are_coarser_and_lose_no_count(folder: Path) -> None:
    before = load(folder).cells
    pack(folder)
    after = load(folder).cells
    assert [sum(count for _, count in cell.histogram) for cell in after] == [
        sum(count for _, count in cell.histogram) for cell in before
    ]
    bounds = {len(cell.histogram) for cell in after}
    assert sum(bounds) < sum({len(cell.histogram) for cell in before})
    for old, new in zip(before, after, strict=True):
        if old.histogram:
            assert new.histogram[-1][0] >= old.histogram[-1][0]
