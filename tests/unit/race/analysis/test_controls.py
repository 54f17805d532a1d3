"""Contenders that run the same code, and programs that no factors describe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis import controls
from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.report import markdown
from race.saved.model import Contender
from race.saved.reader import SavedRace, load
from race.stats.verdict import Verdict
from tests.support.synthetic import (
    ARTICLE,
    BASELINE,
    DISCIPLINE,
    Recipe,
    write,
)
from tests.unit.race.reading import comparison_of


def test_controls_are_those_that_differ_in_ignored_factors_alone(found: Analysis) -> None:
    asked, plain = comparison_of(found, "good"), comparison_of(found, "ugly")
    assert asked.controls is None
    assert plain.controls is not None
    assert {frozenset(group) for group in plain.controls.groups} == {
        frozenset({ARTICLE[0], ARTICLE[1], ARTICLE[3]}),
        frozenset({ARTICLE[2], ARTICLE[4]}),
    }
    assert plain.controls.estimate.value >= 0
    assert {effect.factor for work, effect in found.effects if work.task == "ugly"} == {
        "web",
        "loop",
    }
    assert "connection" in {effect.factor for work, effect in found.effects if work.task == "good"}


def test_controls_that_differ_are_named_and_nobody_of_them_wins(tmp_path: Path) -> None:
    """An engine that is 40 % slower where it runs the same code: the bench is at fault."""
    recipe = Recipe(pages=("good", "ugly"), depths=(), faults=False, slowdown={ARTICLE[3]: 1.4})
    analysis = analyse(load(write(tmp_path / "odd", recipe)))
    comparison = comparison_of(analysis, "ugly")
    assert comparison.controls is not None
    assert 1.35 < comparison.controls.estimate.ratio < 1.45
    assert comparison.controls.second == ARTICLE[3]
    assert comparison.margin < comparison.controls.estimate.value
    twins = next(one for one in comparison.pairs if {one.first, one.second} == {*ARTICLE[1:4:2]})
    assert twins.winner is None
    assert twins.verdict is Verdict.UNDECIDED
    assert "Five engines run the same code here" in markdown.page(analysis)


def test_two_levels_that_mean_the_same_are_controls() -> None:
    """The same server under two names: whatever tells them apart is noise."""
    texts = {
        "server": {"first": "uvicorn shop:app", "again": "uvicorn shop:app", "other": "granian"}
    }
    found = [
        Contender(label=f"{server}-{loop}", name=server, factors={"server": server, "loop": loop})
        for server in texts["server"]
        for loop in ("asyncio", "uvloop")
    ]
    assert controls.groups(found, ()) == ()
    assert set(controls.groups(found, (), texts)) == {
        frozenset({"first-asyncio", "again-asyncio"}),
        frozenset({"first-uvloop", "again-uvloop"}),
    }


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
    (comparison,) = analysis.comparisons
    assert comparison.controls is None
    assert [(pair.first, pair.second, pair.winner) for pair in comparison.pairs] == [
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
    head = changed(race.head, contenders=programs)
    found = analyse(replace(race, head=head)).effects
    assert {effect.factor for _, effect in found} == ({"python"} if described else set())
    kind = changed(DISCIPLINE, ignores={"good": ["python"]})
    analysis = analyse(replace(race, head=changed(head, discipline=kind)))
    headline = analysis.headline
    assert headline is not None
    assert (comparison_of(analysis, "good").controls is not None) == described
    assert ("They run the same code there" in headline.text) == described
    assert bool(headline.unknown) != described


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
    # The second differs in more than one factor, the third, which is slowed, in the loop alone.
    slow = {ARTICLE[7]: 4.0}
    recipe = Recipe(engines=(*ARTICLE[6:9],), pages=("good",), faults=False, slowdown=slow)
    headline = analyse(load(write(tmp_path / "third", recipe))).headline
    assert headline is not None
    assert (headline.winner, headline.other, headline.differ) == (*ARTICLE[8:6:-1], ("loop",))


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
    """They have no other factor in common with anybody, so they show no effect."""
    recipe = Recipe(engines=(*ARTICLE[1:3], ARTICLE[5], ARTICLE[7]), pages=("good",), faults=False)
    race = load(write(tmp_path / "race", recipe))
    programs = {ARTICLE[7]: "3.7", ARTICLE[5]: "3.13"}
    analysis = analyse(_programs(race, programs))
    assert {effect.factor for _, effect in analysis.effects} == {"loop"}
    assert not programs.keys() & {
        label for _, effect in analysis.effects for pair in effect.pairs for label in pair
    }
    assert analysis.unmatched == []
    assert comparison_of(analysis, "good").controls is None
    headline = analysis.headline
    assert headline is not None
    assert headline.winner == ARTICLE[7]
    assert (headline.differ, headline.unknown[0]) == ((), ARTICLE[7])
    assert headline.winner in headline.text
    assert headline.other in headline.text
    assert f"No factors describe {ARTICLE[7]}" in headline.text
    for lie in ("alone", "same code"):
        assert lie not in headline.text
