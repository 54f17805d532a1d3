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
from race.report.sentences import verdict
from race.saved.model import Cell, Limits
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
    ranks = {label: item.ranks for label, item in _standings(contest).items()}
    assert ranks["japronto-tarantool-one-uvloop"] == ranks["japronto-tarantool-one"] == (1, 2)
    assert ranks["sanic-tarantool-one-uvloop"] == (3, 3)
    slow = ("aiohttp-tarantool-one", "aiohttp-tarantool-multi", "aiohttp-postgres-pool")
    assert {ranks[label] for label in slow} == {(7, 9)}
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
    assert (item.state, item.ranks, item.throughput, item.ratio) == ("failed", None, None, None)
    assert item.reason == "the page answered 503: no new connection within 2 s"


def test_generator_bound_is_a_lower_bound_without_rank(found: Analysis) -> None:
    contest = _contest(found, "ugly", pipeline=24)
    bound = [item for item in contest.standings if item.state == "at-least"]
    assert [item.factors["web"] for item in bound] == ["japronto", "japronto"]
    assert all(item.ranks is None and item.ratio is None for item in bound)
    assert not any("japronto" in pair.first + pair.second for pair in contest.pairs)


def test_a_failed_baseline_gives_way_to_the_slowest(article: SavedRace) -> None:
    cells = [failed(c) if c.label == BASELINE else c for c in article.cells]
    contest = _contest(analyse(replace(article, cells=cells)), "good")
    assert contest.reference == contest.standings[-2].label != BASELINE
    assert contest.standings[-1].label == BASELINE


def test_who_has_too_few_rounds_ties_with_nobody(article: SavedRace, found: Analysis) -> None:
    """A pair without an interval is a tie, and would widen everybody's ranks."""
    middle = _contest(found, "good").standings[2].label

    def spoiled(cell: Cell) -> Cell:
        lost = (cell.label, cell.task) == (middle, "good") and cell.round > 1
        return changed(cell, status="invalid", reason="steal") if lost else cell

    contest = _contest(analyse(replace(article, cells=[*map(spoiled, article.cells)])), "good")
    item = _standings(contest)[middle]
    assert (item.state, item.ranks) == ("invalid", None)
    assert str(item.reason).startswith("only ")
    ranks = [one.ranks for one in contest.standings if one.ranks is not None]
    assert len(set(ranks)) > 3


def test_few_rounds_declare_nothing(tmp_path: Path) -> None:
    race = load(write(tmp_path / "race", Recipe(rounds=2, faults=False, pages=("good",))))
    analysis = analyse(race)
    (contest,) = analysis.contests
    assert not contest.decided
    assert all(pair.winner is None for pair in contest.pairs)
    assert {item.ranks for item in contest.standings} == {(1, 9)}
    assert analysis.headline is not None
    assert analysis.headline.claim.endswith("in 2 rounds: too few to call it")
    assert any("cannot give a 95 % interval" in text for text in analysis.trust.warnings)


def test_a_twin_that_failed_declares_nothing(article: SavedRace) -> None:
    """Without a margin, however many rounds the others have; it is said of that page alone."""
    twin = next(one.label for one in article.head.contenders if one.aa)

    def spoiled(cell: Cell) -> Cell:
        lost = (cell.label, cell.task) == (twin, "good") and cell.round > 2
        return changed(cell, status="failed", reason="no answer") if lost else cell

    analysis = analyse(replace(article, cells=[*map(spoiled, article.cells)]))
    contest = _contest(analysis, "good")
    assert contest.enough
    assert not contest.decided
    told = [text for text in analysis.trust.warnings if "both A/A twins for a margin" in text]
    assert [text.split(" (")[0] for text in told] == ["On Good"]
    assert not any("cannot give a 95 % interval" in text for text in analysis.trust.warnings)
    assert verdict(contest).endswith("both A/A twins for a margin.")


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
    for race, percent in ((lenient, "30"), (strict, "5")):
        analysis = analyse(race)
        assert (analysis.trust.little > 0) == (percent == "5")
        assert (told in markdown.page(analysis)) == (percent == "5")
        page = html.page(analysis).replace("\u00a0", " ")
        assert f"outside Little’s law by over {percent} %" in page


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


def _full(race: SavedRace, label: str, task: str, who: list[str | None]) -> SavedRace:
    """The race with a contender's ok cells of a task full as `who` says, over and over."""
    cells, number = [], 0
    for one in race.cells:
        mine = (one.label, one.task, one.status) == (label, task, "ok") and one.load.rate is None
        cells.append(changed(one, full=who[number % len(who)]) if mine else one)
        number += mine
    return replace(race, cells=cells)


@pytest.mark.parametrize(
    ("who", "state", "full"),
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
    small: SavedRace, who: list[str | None], state: str, full: str | None
) -> None:
    analysis = analyse(_full(small, ARTICLE[5], "index", who))
    contest = _contest(analysis, "index")
    item = _standings(contest)[ARTICLE[5]]
    assert (item.state, item.full, item.cells) == (state, full, 12)
    assert (item.ranks is None, item.ratio is None) == (state == "at-least",) * 2
    assert item.throughput is not None
    assert item.cpu_ratio is not None
    others = {item.label for item in contest.standings if item.state == "ranked"}
    assert (ARTICLE[5] in others) == (state == "ranked")
    paired = {label for pair in contest.pairs for label in (pair.first, pair.second)}
    assert paired == others
    matched = {
        label
        for work, effect in analysis.effects
        if work == contest.work
        for pair in effect.pairs
        for label in pair
    }
    assert matched
    assert matched <= others
    if state == "at-least":
        assert re.search(r"in \d+ of 12 cells: this is a lower bound", item.reason or "")


def test_a_baseline_that_was_not_the_limit_is_still_the_reference_for_cpu(
    small: SavedRace,
) -> None:
    contest = _contest(analyse(_full(small, BASELINE, "index", ["nobody"])), "index")
    assert contest.reference == BASELINE
    others = [item for item in contest.standings if item.label != BASELINE and item.throughput]
    assert others
    assert all(item.ratio is None for item in others)
    assert all(item.cpu_ratio is not None for item in others)
    assert contest.pairs


def test_rows_say_how_many_cells_count_and_how_busy_the_party_was(small: SavedRace) -> None:
    cells = [
        changed(one, meters={**one.meters, "busy": {"server": 0.5 + 0.1 * (one.round % 3)}})
        for one in small.cells
    ]
    item = _standings(_contest(analyse(replace(small, cells=cells)), "index"))[BASELINE]
    assert (item.cells, item.ran) == (12, 14)  # a round was rejected and run again
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
    before = next(one for one in analyse(small).contests if one.work == first.work)
    after = next(one for one in analysis.contests if one.work == first.work)
    one, two = _standings(before)[BASELINE], _standings(after)[BASELINE]
    assert (two.cells, two.ran) == (one.cells, one.ran)
    assert one.throughput is not None
    assert two.throughput is not None
    assert two.throughput.high > 1.2 * one.throughput.high


def test_rounds_of_one_pass_are_whole(small: SavedRace) -> None:
    cells = [one for one in small.cells if one.pass_ == "forward"]
    contest = _contest(analyse(replace(small, cells=cells)), "index")
    assert contest.rounds == 6
    assert contest.decided


def test_controls_are_those_that_differ_in_ignored_factors_alone(found: Analysis) -> None:
    asked, plain = _contest(found, "good"), _contest(found, "ugly")
    assert asked.controls is None
    assert plain.controls is not None
    assert {frozenset(group) for group in plain.controls.groups} == {
        frozenset({ARTICLE[0], ARTICLE[1], ARTICLE[3]}),
        frozenset({ARTICLE[2], ARTICLE[4]}),
    }
    assert 0 <= plain.controls.estimate.value <= plain.margin
    assert {effect.factor for work, effect in found.effects if work.task == "ugly"} == {
        "web",
        "loop",
    }
    assert "connection" in {effect.factor for work, effect in found.effects if work.task == "good"}


def test_controls_that_differ_widen_the_margin_and_nobody_of_them_wins(tmp_path: Path) -> None:
    """An engine that is 40 % slower where it runs the same code: the bench is at fault."""
    recipe = Recipe(pages=("good", "ugly"), depths=(), faults=False, slowdown={ARTICLE[3]: 1.4})
    analysis = analyse(load(write(tmp_path / "odd", recipe)))
    contest = _contest(analysis, "ugly")
    assert contest.controls is not None
    assert 1.35 < contest.controls.estimate.ratio < 1.45
    assert contest.margin >= contest.controls.estimate.value
    twins = next(one for one in contest.pairs if {one.first, one.second} == {*ARTICLE[1:4:2]})
    assert twins.winner is None
    # What equals differ by beyond their scatter enters the other works' margins, too.
    assert _contest(analysis, "good").margin_percent > 10
    assert "five engines that run the same code here" in markdown.page(analysis)


def test_an_engine_raced_against_itself_under_another_name_is_no_control(tmp_path: Path) -> None:
    """Like factors and another program: what it is slowed by has to be found."""
    recipe = Recipe(engines=ARTICLE[1:2], pages=("ugly",), depths=(), rounds=8, faults=False)
    race = load(write(tmp_path / "self", recipe))
    slow = [
        changed(one, label="slowed", throughput=0.8 * (one.throughput or 0))
        for one in race.cells
        if one.label == BASELINE
    ]
    (original,) = [one for one in race.head.contenders if not one.aa]
    other = changed(original, label="slowed", name="slowed")
    head = changed(race.head, contenders=[*race.head.contenders, other])
    analysis = analyse(replace(race, head=head, cells=[*race.cells, *slow]))
    (contest,) = analysis.contests
    assert contest.controls is None
    assert [(pair.first, pair.second, pair.winner) for pair in contest.pairs] == [
        (BASELINE, "slowed", BASELINE)
    ]
    headline = analysis.headline
    assert headline is not None
    assert headline.unknown == (BASELINE, "slowed")
    assert "same code" not in headline.text


@pytest.mark.parametrize("described", [True, False])
def test_two_programs_alone_run_code_that_no_factor_tells(tmp_path: Path, described: bool) -> None:
    """They differ in their interpreter as far as factors go, and here that changes nothing."""
    recipe = Recipe(engines=(ARTICLE[5], ARTICLE[7]), pages=("good",), faults=False)
    race = load(write(tmp_path / "programs", recipe))
    programs = [
        changed(one, factors={"python": one.factors["python"]}, described=described)
        for one in race.head.contenders
    ]
    kind = changed(DISCIPLINE, ignores={"good": ["python"]})
    analysis = analyse(replace(race, head=changed(race.head, contenders=programs, discipline=kind)))
    headline = analysis.headline
    assert headline is not None
    assert (_contest(analysis, "good").controls is not None) == described
    assert ("They run the same code there" in headline.text) == described
    assert bool(headline.unknown) != described


def test_the_interpreters_of_two_programs_are_no_effect(tmp_path: Path) -> None:
    recipe = Recipe(engines=(ARTICLE[5], ARTICLE[7]), pages=("good",), faults=False)
    race = load(write(tmp_path / "programs", recipe))
    for described in (True, False):
        programs = [
            changed(one, factors={"python": one.factors["python"]}, described=described)
            for one in race.head.contenders
        ]
        found = analyse(replace(race, head=changed(race.head, contenders=programs))).effects
        assert {effect.factor for _, effect in found} == ({"python"} if described else set())


def test_headline_prefers_those_that_differ_in_one_factor(tmp_path: Path) -> None:
    recipe = Recipe(engines=ARTICLE[5:8], pages=("good",), faults=False)
    headline = analyse(load(write(tmp_path / "three", recipe))).headline
    assert headline is not None
    # japronto is best and differs from both Sanics in web and python at least.
    assert headline.differ == ("web", "loop", "python")
    recipe = Recipe(engines=(*ARTICLE[1:3], ARTICLE[3]), pages=("good",), faults=False)
    headline = analyse(load(write(tmp_path / "uvloop", recipe))).headline
    assert headline is not None
    assert (headline.winner, headline.other, headline.differ) == (*ARTICLE[2:0:-1], ("loop",))
    assert headline.text.endswith("They differ in loop alone (uvloop against asyncio).")


def _programs(race: SavedRace, programs: dict[str, str]) -> SavedRace:
    """The race with contenders as programs: they have the factors python and workers, no others."""
    contenders = [
        changed(one, factors={"python": programs[one.label], "workers": "1"})
        if one.label in programs
        else changed(one, factors={**one.factors, "workers": "1"})
        for one in race.head.contenders
    ]
    factors = {**DISCIPLINE.factors, "workers": []}
    kind = changed(DISCIPLINE, factors=factors, ignores={"good": ["python"]})
    return replace(race, head=changed(race.head, discipline=kind, contenders=contenders))


def test_programs_differ_in_more_than_their_interpreter(tmp_path: Path) -> None:
    """They have no other factor in common with anybody, so no effect is told of them."""
    recipe = Recipe(engines=(*ARTICLE[1:3], ARTICLE[5], ARTICLE[7]), pages=("good",), faults=False)
    race = load(write(tmp_path / "race", recipe))
    programs = {ARTICLE[7]: "3.7", ARTICLE[5]: "3.13"}
    analysis = analyse(_programs(race, programs))
    assert {effect.factor for _, effect in analysis.effects} == {"loop"}
    assert not programs.keys() & {
        label for _, effect in analysis.effects for pair in effect.pairs for label in pair
    }
    assert analysis.unmatched == []
    assert _contest(analysis, "good").controls is None
    headline = analysis.headline
    assert headline is not None
    assert headline.winner == ARTICLE[7]
    assert (headline.differ, headline.unknown[0]) == ((), ARTICLE[7])
    assert headline.winner in headline.text
    assert headline.other in headline.text
    assert f"No factors describe {ARTICLE[7]}" in headline.text
    for lie in ("alone", "same code"):
        assert lie not in headline.text


def test_a_closed_loop_says_nothing_of_latency(small: SavedRace) -> None:
    contests = analyse(small).contests
    assert {(one.closed, one.latency) for one in contests} == {(True, False), (False, True)}
    assert all(item.latency_us for one in contests for item in one.standings if item.throughput)
