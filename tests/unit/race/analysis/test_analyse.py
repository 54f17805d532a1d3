"""The analysis of an invented race finds what was put into it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.report.sentences import verdict
from race.saved.model import Cell
from race.saved.reader import SavedRace, load
from race.stats.verdict import Verdict
from tests.support.synthetic import (
    ARTICLE,
    BASELINE,
    DISCIPLINE,
    Recipe,
    failed,
    write,
)
from tests.unit.race.reading import comparison_of, results_of


def test_ranking_follows_what_was_put_in(found: Analysis) -> None:
    comparison = comparison_of(found, "ugly")
    ranks = {label: item.ranks for label, item in results_of(comparison).items()}
    assert ranks["japronto-tarantool-one-uvloop"] == ranks["japronto-tarantool-one"] == (1, 2)
    assert ranks["sanic-tarantool-one-uvloop"] == (3, 3)
    slow = ("aiohttp-tarantool-one", "aiohttp-tarantool-multi", "aiohttp-postgres-pool")
    assert {ranks[label] for label in slow} == {(7, 9)}
    assert comparison.rounds == 12
    assert comparison.reference == BASELINE
    assert "(A/A)" not in " ".join(ranks)


def test_headline_names_the_winner_with_its_interval(found: Analysis) -> None:
    assert found.headline is not None
    assert found.headline.declared
    ratio = r"1\.\d\d\d× \[1\.\d\d\d, 1\.\d\d\d\]"
    pattern = rf"japronto-\S+ serves Good {ratio} as fast as sanic-tarantool-one-uvloop"
    assert re.fullmatch(pattern, found.headline.claim)
    assert found.headline.differ == ("web", "loop", "python")
    loop, python = "asyncio against uvloop", "CPython 3.7 against 3.13"
    assert found.headline.difference == f"They differ in web, loop ({loop}) and python ({python})"


@pytest.mark.parametrize(("wanted", "task"), [("ugly", "ugly"), ("vote", "index"), (None, "index")])
def test_headline_is_on_the_disciplines_task_or_on_the_first_ranked(
    article: SavedRace, wanted: str | None, task: str
) -> None:
    discipline = changed(DISCIPLINE, headline=wanted)
    head = changed(article.head, discipline=discipline)
    headline = analyse(replace(article, head=head)).headline
    assert headline is not None
    assert headline.task == task


def test_tasks_are_in_the_disciplines_order(article: SavedRace, found: Analysis) -> None:
    titles = ["Index", "Good", "Bad", "Ugly", "About"]
    assert list(dict.fromkeys(one.title for one in found.comparisons)) == titles
    turned = changed(DISCIPLINE, tasks=dict(reversed(DISCIPLINE.tasks.items())))
    other = analyse(replace(article, head=changed(article.head, discipline=turned)))
    assert list(dict.fromkeys(one.title for one in other.comparisons)) == titles[::-1]


def test_a_failed_baseline_gives_way_to_the_slowest(article: SavedRace) -> None:
    cells = [failed(c) if c.label == BASELINE else c for c in article.cells]
    comparison = comparison_of(analyse(replace(article, cells=cells)), "good")
    assert comparison.reference == comparison.results[-2].label != BASELINE
    assert comparison.results[-1].label == BASELINE


def test_who_has_too_few_rounds_ties_with_nobody(article: SavedRace, found: Analysis) -> None:
    """A pair without an interval is a tie, and would widen everybody's ranks."""
    middle = comparison_of(found, "good").results[2].label

    def spoiled(cell: Cell) -> Cell:
        lost = (cell.label, cell.task) == (middle, "good") and cell.round > 1
        return changed(cell, status="invalid", reason="steal") if lost else cell

    comparison = comparison_of(
        analyse(replace(article, cells=[*map(spoiled, article.cells)])), "good"
    )
    item = results_of(comparison)[middle]
    assert (item.state, item.ranks) == ("invalid", None)
    assert str(item.reason).startswith("only ")
    ranks = [one.ranks for one in comparison.results if one.ranks is not None]
    assert len(set(ranks)) > 3


def test_few_rounds_declare_nothing(tmp_path: Path) -> None:
    race = load(write(tmp_path / "race", Recipe(rounds=2, faults=False, pages=("good",))))
    analysis = analyse(race)
    (comparison,) = analysis.comparisons
    assert not comparison.decided
    assert all(pair.winner is None for pair in comparison.pairs)
    assert {item.ranks for item in comparison.results} == {(1, 9)}
    assert analysis.headline is not None
    assert analysis.headline.claim.endswith("in 2 rounds: too few to call it")
    assert any("cannot give a 95 % interval" in text for text in analysis.trust.warnings)


def test_a_twin_that_failed_declares_nothing(article: SavedRace) -> None:
    """That page alone has no margin then, however many rounds the other contenders have."""
    twin = next(one.label for one in article.head.contenders if one.aa)

    def spoiled(cell: Cell) -> Cell:
        lost = (cell.label, cell.task) == (twin, "good") and cell.round > 2
        return changed(cell, status="failed", reason="no answer") if lost else cell

    analysis = analyse(replace(article, cells=[*map(spoiled, article.cells)]))
    comparison = comparison_of(analysis, "good")
    assert comparison.enough
    assert not comparison.decided
    message = [text for text in analysis.trust.warnings if "both A/A twins for a margin" in text]
    assert [text.split(" (")[0] for text in message] == ["On Good"]
    assert not any("cannot give a 95 % interval" in text for text in analysis.trust.warnings)
    assert verdict(comparison).endswith("both A/A twins count for a margin.")


def test_a_race_at_fixed_rates_says_what_a_unit_costs(tmp_path: Path) -> None:
    """Its closed loop is one round, which finds what the rates are fractions of."""
    recipe = Recipe(pages=("good",), faults=False, rates=(500.0, 900.0))
    race = load(write(tmp_path / "race", recipe))
    cells = [one for one in race.cells if one.load.rate is not None or one.round == 1]
    headline = analyse(replace(race, cells=cells)).headline
    assert headline is not None
    assert (headline.rate, headline.declared) == (900.0, False)
    said = r"At 900 a second \S+ served Good with 0\.\d+× \[.*\] of the CPU time of " + BASELINE
    assert re.fullmatch(said, headline.claim)


def test_a_race_of_one_engine_ranks_it_against_its_twin(tmp_path: Path) -> None:
    recipe = Recipe(engines=ARTICLE[1:2], pages=("good",), rounds=8, faults=False)
    analysis = analyse(load(write(tmp_path / "race", recipe)))
    (comparison,) = analysis.comparisons
    assert [item.label for item in comparison.results] == [BASELINE, f"{BASELINE} (A/A)"]
    assert comparison.margin_percent == pytest.approx(3)
    assert comparison.controls is None  # of controls nobody could win
    assert [pair.winner for pair in comparison.pairs] == [None]
    assert analysis.headline is not None
    assert analysis.headline.verdict is not Verdict.DIFFERENT


def test_a_slowdown_of_20_percent_is_found_and_covered(tmp_path: Path) -> None:
    # 20 % more CPU per request is 1/1.2 of the requests/s.
    base = Recipe(engines=(ARTICLE[1], ARTICLE[5]), pages=("good",), faults=False)
    plain, slowed = (
        results_of(comparison_of(analyse(load(write(tmp_path / name, recipe))), "good"))[ARTICLE[5]]
        for name, recipe in (
            ("plain", base),
            ("slowed", replace(base, slowdown={ARTICLE[5]: 1.2})),
        )
    )
    assert plain.ratio is not None
    assert slowed.ratio is not None
    true = plain.cpu_us["server"] / slowed.cpu_us["server"] * plain.ratio.ratio
    assert slowed.ratio.low < math.log(true) < slowed.ratio.high


def test_a_level_without_a_matched_pair_is_named_with_the_reason(found: Analysis) -> None:
    assert {(one.level, one.also) for one in found.unmatched} == {
        ("japronto", ("python",)),
        ("3.13", ("web",)),
        ("postgres", ("connection",)),
        ("pool", ("backend",)),
    }


def test_analysis_is_plain_json(article: SavedRace, small: SavedRace) -> None:
    for race in (article, small):
        data = json.loads(json.dumps(analyse(race).as_json(), allow_nan=False))
        assert data["race"] == race.head.race
        assert data["headline"]["text"]
        comparison = data["comparisons"][0]
        assert {"task", "load"} == comparison["work"].keys()
        assert "discipline" not in comparison
        assert comparison["results"][0]["factors"]["backend"] == "tarantool"
        assert data["effects"][0].keys() >= {"work", "factor", "level", "estimate"}
