"""Cells that count for a result, and results where another than the server was saturated."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.report import html, markdown
from race.saved.model import Limits
from race.saved.reader import SavedRace
from race.stats.little import expected
from tests.support.synthetic import ARTICLE, BASELINE, SMALL, late
from tests.unit.race.reading import comparison_of, results_of


def test_generator_bound_is_a_lower_bound_without_rank(found: Analysis) -> None:
    comparison = comparison_of(found, "ugly", pipeline=24)
    bound = [item for item in comparison.results if item.state == "at-least"]
    assert [item.factors["web"] for item in bound] == ["japronto", "japronto"]
    # Their bounds lie far above the others' rates, which gives them places and no ratios.
    assert all(item.ranks == (1, 2) and item.beats and item.ratio is None for item in bound)
    assert not any("japronto" in pair.first + pair.second for pair in comparison.pairs)


def test_one_cell_that_did_not_keep_up_takes_the_others_with_it(small: SavedRace) -> None:
    """Percentiles of the cells that went well would be the survivors'."""
    first = next(c for c in small.cells if c.load.rate and c.status == "ok" and c.label in SMALL)
    race = replace(small, cells=[late(c) if c is first else c for c in small.cells])
    comparison = next(one for one in analyse(race).comparisons if one.work == first.work)
    others = results_of(comparison)
    item = others.pop(first.label)
    assert (item.state, item.throughput, item.latency_us) == ("overloaded", None, {})
    assert re.fullmatch(r"did not keep up in 1 of \d+ cells", item.reason or "")
    assert "fixed-rate" in {other.state for other in others.values()}


def test_cells_are_judged_by_the_races_own_limits(small: SavedRace) -> None:
    """A tenth of the connections without an answer is too much only where the race says so."""
    cells = [
        changed(c, busy_connections=0.9 * expected(100, c.latency_us["mean"], 2.0))
        if c.status == "ok" and c.load.rate is None and c.load.pipeline == 1
        else c
        for c in small.cells
    ]
    lenient = replace(small, cells=cells)
    strict = replace(lenient, head=changed(small.head, limits=Limits(little=0.05)))
    message = "By Little’s law only a part"
    for race, percent in ((lenient, "30"), (strict, "5")):
        analysis = analyse(race)
        assert (analysis.trust.little > 0) == (percent == "5")
        assert (message in markdown.page(analysis)) == (percent == "5")
        page = html.page(analysis).replace("\u00a0", " ")
        assert f"outside Little’s law by over {percent} %" in page


def _saturated(race: SavedRace, label: str, task: str, who: list[str | None]) -> SavedRace:
    """The race with a contender's ok cells of a task saturated as `who` says, over and over."""
    cells, number = [], 0
    for one in race.cells:
        mine = (one.label, one.task, one.status) == (label, task, "ok") and one.load.rate is None
        cells.append(changed(one, saturated=who[number % len(who)]) if mine else one)
        number += mine
    return replace(race, cells=cells)


@pytest.mark.parametrize(
    ("who", "state", "saturated"),
    [
        (["server"], "ranked", "server"),
        (["database"], "at-least", "database"),
        (["nobody"], "at-least", "nobody"),
        (["server", "database"], "at-least", "server"),
        (["server", "server", "database"], "ranked", "server"),
        ([None], "at-least", None),
        (["server", None], "at-least", "server"),
        (["server", "server", None], "ranked", "server"),
        ([None, None, "generator"], "at-least", None),
    ],
)
def test_who_was_not_the_limit_in_half_of_its_cells_has_a_lower_bound(
    small: SavedRace, who: list[str | None], state: str, saturated: str | None
) -> None:
    analysis = analyse(_saturated(small, ARTICLE[5], "index", who))
    comparison = comparison_of(analysis, "index")
    item = results_of(comparison)[ARTICLE[5]]
    assert (item.state, item.saturated, item.cells) == (state, saturated, 6)
    assert (item.ratio is None) == (state == "at-least")
    assert (item.ranks is None) == (not item.beats)
    assert item.throughput is not None
    assert item.cpu_ratio is not None
    others = {item.label for item in comparison.results if item.state == "ranked"}
    assert (ARTICLE[5] in others) == (state == "ranked")
    paired = {label for pair in comparison.pairs for label in (pair.first, pair.second)}
    assert paired == others
    matched = {
        label
        for work, effect in analysis.effects
        if work == comparison.work
        for pair in effect.pairs
        for label in pair
    }
    assert matched
    assert matched <= others
    if state == "at-least":
        assert re.search(r"in \d+ of 6 cells: this is a lower bound", item.reason or "")


def test_a_baseline_that_was_not_the_limit_is_still_the_reference_for_cpu(
    small: SavedRace,
) -> None:
    comparison = comparison_of(analyse(_saturated(small, BASELINE, "index", ["nobody"])), "index")
    assert comparison.reference == BASELINE
    others = [item for item in comparison.results if item.label != BASELINE and item.throughput]
    assert others
    assert all(item.ratio is None for item in others)
    assert all(item.cpu_ratio is not None for item in others)
    assert comparison.pairs


def test_rows_say_how_many_cells_count_and_how_busy_the_party_was(small: SavedRace) -> None:
    cells = [
        changed(one, meters={**one.meters, "busy": {"server": 0.5 + 0.1 * (one.round % 3)}})
        for one in small.cells
    ]
    item = results_of(comparison_of(analyse(replace(small, cells=cells)), "index"))[BASELINE]
    assert (item.cells, item.ran) == (6, 6)
    assert item.busy == pytest.approx(0.6)
    assert item.rounds == 6


def test_the_calibration_round_never_counts(small: SavedRace) -> None:
    fast = [
        changed(one, round=0, throughput=9.9e6)
        for one in small.cells
        if one.round == 1 and one.status == "ok"
    ]
    assert fast
    with_it = analyse(replace(small, cells=[*fast, *small.cells]))
    assert with_it.as_json() == analyse(small).as_json()


def test_a_cell_that_was_measured_again_counts_once(small: SavedRace) -> None:
    first = next(one for one in small.cells if one.status == "ok" and one.label == BASELINE)
    again = changed(first, throughput=2 * (first.throughput or 0))
    analysis = analyse(replace(small, cells=[*small.cells, again]))
    before = next(one for one in analyse(small).comparisons if one.work == first.work)
    after = next(one for one in analysis.comparisons if one.work == first.work)
    one, two = results_of(before)[BASELINE], results_of(after)[BASELINE]
    assert (two.cells, two.ran) == (one.cells, one.ran)
    assert one.throughput is not None
    assert two.throughput is not None
    assert two.throughput.high > 1.2 * one.throughput.high
