"""What an invented race is found to say."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.analyse import analyse
from race.analysis.model import Analysis, Contest, Standing
from race.report import html, markdown
from race.saved.model import Limits
from race.saved.reader import SavedRace, load
from race.stats.little import expected
from tests.support.synthetic import (
    ARTICLE,
    BASELINE,
    DISCIPLINE,
    SMALL,
    Recipe,
    failed,
    late,
    write,
)


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    return load(write(tmp_path_factory.mktemp("races") / "article"))


@pytest.fixture(scope="module")
def found(article: SavedRace) -> Analysis:
    return analyse(article)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    recipe = Recipe(engines=SMALL, pages=("index", "ugly"), rounds=6, rates=(2000.0, 4000.0))
    return load(write(tmp_path_factory.mktemp("races") / "small", recipe))


def _contest(analysis: Analysis, page: str, pipeline: int = 1) -> Contest:
    return next(
        contest
        for contest in analysis.contests
        if (contest.work.task, contest.work.load.pipeline) == (page, pipeline)
    )


def _standings(contest: Contest) -> dict[str, Standing]:
    return {item.label: item for item in contest.standings}


def test_ranking_follows_what_was_put_in(found: Analysis) -> None:
    contest = _contest(found, "ugly")
    ranks = {label: item.rank for label, item in _standings(contest).items()}
    assert ranks["japronto-tarantool-one-uvloop"] == ranks["japronto-tarantool-one"] == 1
    assert ranks["sanic-tarantool-one-uvloop"] == 3
    slow = ("aiohttp-tarantool-one", "aiohttp-tarantool-multi", "aiohttp-postgres-pool")
    assert {ranks[label] for label in slow} == {7}
    assert contest.rounds == 12
    assert contest.reference == BASELINE
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
    assert list(dict.fromkeys(one.title for one in found.contests)) == titles
    turned = changed(DISCIPLINE, tasks=dict(reversed(DISCIPLINE.tasks.items())))
    other = analyse(replace(article, head=changed(article.head, discipline=turned)))
    assert list(dict.fromkeys(one.title for one in other.contests)) == titles[::-1]


def test_failed_cells_have_a_reason_and_no_number(found: Analysis) -> None:
    item = _standings(_contest(found, "index"))[ARTICLE[0]]
    assert (item.state, item.rank, item.throughput, item.ratio) == ("failed", None, None, None)
    assert item.reason == "the page answered 503: no new connection within 2 s"


def test_generator_bound_is_a_lower_bound_without_rank(found: Analysis) -> None:
    contest = _contest(found, "ugly", pipeline=24)
    bound = [item for item in contest.standings if item.state == "at-least"]
    assert [item.factors["web"] for item in bound] == ["japronto", "japronto"]
    assert all(item.rank is None and item.ratio is None for item in bound)
    assert not any("japronto" in pair.first + pair.second for pair in contest.pairs)


def test_a_failed_baseline_gives_way_to_the_slowest(article: SavedRace) -> None:
    cells = [failed(c) if c.label == BASELINE else c for c in article.cells]
    contest = _contest(analyse(replace(article, cells=cells)), "good")
    assert contest.reference == contest.standings[-2].label != BASELINE
    assert contest.standings[-1].label == BASELINE


def test_few_rounds_declare_nothing(tmp_path: Path) -> None:
    race = load(write(tmp_path / "race", Recipe(rounds=2, faults=False, pages=("good",))))
    analysis = analyse(race)
    (contest,) = analysis.contests
    assert not contest.decided
    assert all(pair.winner is None for pair in contest.pairs)
    assert {item.rank for item in contest.standings} == {1}
    assert analysis.headline is not None
    assert analysis.headline.claim.endswith("in 2 rounds: too few to call it")
    assert any("cannot give a 95 % interval" in text for text in analysis.trust.warnings)


def test_a_race_of_one_engine_ranks_it_against_its_twin(tmp_path: Path) -> None:
    recipe = Recipe(engines=ARTICLE[1:2], pages=("good",), rounds=8, faults=False)
    analysis = analyse(load(write(tmp_path / "race", recipe)))
    (contest,) = analysis.contests
    assert [item.label for item in contest.standings] == [BASELINE, f"{BASELINE} (A/A)"]
    assert contest.margin_percent == pytest.approx(3)
    assert [pair.winner for pair in contest.pairs] == [None]
    assert analysis.headline is not None
    assert "cannot be told apart" in analysis.headline.text


def test_a_slowdown_of_20_percent_is_found_and_covered(tmp_path: Path) -> None:
    # 20 % more CPU per request is 1/1.2 of the requests/s.
    base = Recipe(engines=(ARTICLE[1], ARTICLE[5]), pages=("good",), faults=False)
    plain, slowed = (
        _standings(_contest(analyse(load(write(tmp_path / name, recipe))), "good"))[ARTICLE[5]]
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


def test_one_cell_that_did_not_keep_up_takes_the_others_with_it(small: SavedRace) -> None:
    """Percentiles of the cells that went well would be the survivors'."""
    first = next(c for c in small.cells if c.load.rate and c.status == "ok" and c.label in SMALL)
    race = replace(small, cells=[late(c) if c is first else c for c in small.cells])
    contest = next(one for one in analyse(race).contests if one.work == first.work)
    others = _standings(contest)
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
    told = "By Little’s law only a part"
    for race, percent in ((lenient, "15"), (strict, "5")):
        analysis = analyse(race)
        assert (analysis.trust.little > 0) == (percent == "5")
        assert (told in markdown.page(analysis)) == (percent == "5")
        assert f"outside Little’s law by over {percent} %" in html.page(analysis)


def test_analysis_is_plain_json(article: SavedRace, small: SavedRace) -> None:
    for race in (article, small):
        data = json.loads(json.dumps(analyse(race).as_json(), allow_nan=False))
        assert data["race"] == race.head.race
        assert data["headline"]["text"]
        contest = data["contests"][0]
        assert {"task", "load"} == contest["work"].keys()
        assert "discipline" not in contest
        assert contest["standings"][0]["factors"]["backend"] == "tarantool"
        assert data["effects"][0].keys() >= {"work", "factor", "level", "estimate"}
