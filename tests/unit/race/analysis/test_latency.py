"""Percentiles at a fixed rate with their intervals, and the A/A band."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.distributions import latencies
from race.report import markdown
from race.saved.model import Cell
from race.saved.reader import SavedRace, load
from race.stats import histogram
from tests.support.synthetic import SMALL, Recipe, write
from tests.unit.race.reading import altered


def rounds(seed: int, number: int, requests: int, between: float) -> dict[int, histogram.Histogram]:
    """Return rounds of exponential latencies (mean 1 ms) whose scale scatters between rounds.

    They are counted in steps of 10 us: an interval costs as much as there are steps.
    """
    random = np.random.default_rng(seed)
    scales = 1000 * np.exp(random.normal(0, between, number))
    return {
        at: histogram.merge(
            [[(float(us), 1)] for us in random.exponential(scale, requests).round(-1)]
        )
        for at, scale in enumerate(scales)
    }


def test_an_interval_covers_the_percentile_in_nine_of_ten_series_or_more() -> None:
    truth = 1000 * np.log(2)
    every = (histogram.interval(rounds(seed, 24, 300, 0.1), 50) for seed in range(40))
    found = [one for one in every if one]
    covered = sum(low <= truth <= high for low, high in found)
    assert covered >= 36
    assert max(high / low for low, high in found) < 1.35


def test_too_few_requests_or_rounds_give_no_interval() -> None:
    assert histogram.interval(rounds(1, 12, 800, 0), 99.9) is None
    assert histogram.interval(rounds(1, 12, 900, 0), 99.9) is not None
    assert histogram.interval(rounds(1, 5, 900, 0), 50) is None


def test_what_slows_both_alike_cancels_in_a_ratio() -> None:
    first = rounds(1, 12, 500, 0.5)
    second = {at: [(1.25 * us, count) for us, count in one] for at, one in first.items()}
    low, high = histogram.ratio_interval(first, second, 50) or (0, 0)
    assert (low, high) == pytest.approx((0.8, 0.8))


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    recipe = Recipe(engines=SMALL[:3], pages=("good",), rates=(2000.0,), rounds=8, faults=False)
    return load(write(tmp_path_factory.mktemp("races") / "rated", recipe))


def test_the_band_is_how_far_the_twins_differ(rated: SavedRace) -> None:
    def slow_twin(cell: Cell) -> Cell:
        if not cell.label.endswith("(A/A)"):
            return cell
        return changed(cell, histogram=[(2 * us, count) for us, count in cell.histogram])

    for race, least in ((rated, 1.0), (altered(rated, slow_twin), 1.8)):
        analysis = analyse(race)
        found = latencies(analysis, next(one for one in analysis.comparisons if one.rated))
        assert least <= found.bands["p50"] < least + 0.5
        assert set(found.intervals) == {cell.label for cell in race.cells}
        text = markdown.page(analysis)
        assert f"differs in p50 by up to {found.bands['p50']:.2f}×" in text
