"""Ranks as ranges: how they are written, what they mean, and who is said to be first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from race.analysis.analyse import analyse
from race.analysis.model import Analysis, Comparison, Controls, Noise
from race.report import format as words
from race.report import html, legend, markdown, sentences
from race.saved.reader import SavedRace, load
from race.stats import noise
from race.stats.estimate import Estimate
from tests.support.synthetic import Recipe, write
from tests.unit.race.reading import shown

RANGE = "The true rank is one of these; this race cannot say which."


@pytest.fixture
def three(found: Analysis) -> Comparison:
    """A comparison of three contenders."""
    comparison = next(one for one in found.comparisons if one.decided)
    return replace(comparison, results=comparison.results[:3])


def beating(comparison: Comparison, *pairs: tuple[int, int]) -> Comparison:
    """Its contenders, by place in the order: who beat whom, and the ranks that follow."""
    labels = [item.label for item in comparison.results]
    count = len(labels)
    results = []
    for place, item in enumerate(comparison.results):
        beats = tuple(labels[other] for one, other in pairs if one == place)
        beaten = sum(other == place for _, other in pairs)
        ranks = (1 + beaten, count - len(beats))
        results.append(replace(item, state="ranked", ranks=ranks, beats=beats))
    return replace(comparison, results=results)


def ranks(comparison: Comparison) -> list[str]:
    return [words.rank(comparison, item) for item in comparison.results]


def everybody(found: Analysis) -> list[str]:
    """The ranks of all contenders in all comparisons of the closed loop."""
    return [text for comparison in found.closed() for text in ranks(comparison)]


@pytest.mark.parametrize(
    ("pairs", "texts", "said"),
    [
        ([(0, 2)], ["1–2", "1–3", "2–3"], "{0} and {1} share first place: neither is beaten."),
        (
            [(0, 1), (1, 2)],
            ["1–2", "2", "2–3"],
            "{0} is beaten by none, and does not beat all others.",
        ),
        ([], ["1–3"] * 3, "No contender beats another: of no two is it shown that they differ."),
        (
            [(0, 1), (1, 2), (2, 0)],
            ["2"] * 3,
            "Every contender is beaten by another, so nobody is first.",
        ),
    ],
)
def test_those_whom_nobody_beat_are_named(
    three: Comparison, pairs: Sequence[tuple[int, int]], texts: list[str], said: str
) -> None:
    comparison = beating(three, *pairs)
    assert ranks(comparison) == texts
    assert sentences.verdict(comparison) == said.format(*(one.label for one in three.results))


def test_labels_with_commas_are_told_apart(three: Comparison) -> None:
    labels = ["asyncpg, tcp", "asyncpg, tcp, uvloop", "pgx"]
    comparison = replace(
        three,
        results=[
            replace(one, label=label, state="ranked", ranks=(1, 3), beats=("another",))
            for one, label in zip(three.results, labels, strict=True)
        ],
    )
    said = "asyncpg, tcp; asyncpg, tcp, uvloop and pgx share first place: none is beaten."
    assert sentences.verdict(comparison) == said


@pytest.mark.parametrize("first", [0, 1])
def test_who_beat_all_others_is_first_wherever_it_stands(three: Comparison, first: int) -> None:
    comparison = beating(three, *((first, other) for other in range(3) if other != first))
    best, second = three.results[first].label, three.results[1 - first].label
    assert ranks(comparison)[first] == "1"
    said = sentences.verdict(comparison)
    assert said.startswith(f"{best} is first: ")
    assert f" times the rate of {second}, the next in order." in said


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (0.01, "A win must exceed 3.0 %, the least that counts (A/A: at most 1.0 % here)."),
        (
            0.05,
            "A win must exceed 5.1 %: that is how far the same code may differ from itself here.",
        ),
        (math.inf, "The margin is unknown, because the A/A twin ran for too few rounds."),
    ],
)
def test_the_margin_is_explained(three: Comparison, bound: float, said: str) -> None:
    floor = Noise("twin", Estimate(0.0, -bound, bound, 6), measured_here=True)
    found = replace(three, noise=floor, margin=float(noise.margin(bound)), controls=None)
    assert said in sentences.rule(found)


def test_a_contender_against_itself_is_noise_and_nothing_else(three: Comparison) -> None:
    first = three.results[0]
    twin = replace(first, label=f"{first.label} (A/A)")
    found = replace(three, results=[first, twin], noise=None, margin=noise.LEAST_MARGIN)
    assert "these two are the same code, so what they differ by is noise." in sentences.rule(found)
    several = replace(three, noise=None, margin=noise.LEAST_MARGIN)
    assert "is unknown, because no A/A twin has a rate." in sentences.rule(several)


def test_controls_are_named_with_their_sign_beside_the_margin(three: Comparison) -> None:
    controls = Controls((("a", "b"), ("c", "d")), "d", "c", Estimate(0.2, 0.1, 0.3, 6))
    assert sentences.rule(replace(three, controls=controls)).endswith(
        " Four engines run the same code here, in two groups. The two that differ most are d and "
        "c: 1.22× [1.10, 1.35]. The margin does not include this."
    )


def test_the_first_of_those_ranked_may_not_be_the_fastest(three: Comparison) -> None:
    comparison = beating(three, (0, 1))
    *ranked, last = comparison.results
    bound = replace(last, state="at-least", limit="no core was saturated", ranks=None)
    found = replace(comparison, results=[*ranked, bound])
    assert sentences.verdict(found).startswith(f"Of those ranked, {ranked[0].label} ")
    assert " Its CPU time per request is compared instead." in sentences.bounds(found)
    placed = replace(found, results=[*ranked, replace(bound, ranks=(1, 1))])
    assert sentences.verdict(placed).startswith(f"{ranked[0].label} ")
    assert f"{last.label} (no core was saturated) is ranked by" in sentences.bounds(placed)


def test_that_nobody_is_ranked_is_said_once(three: Comparison) -> None:
    bounds = [
        replace(one, state="at-least", limit="generator saturated", ranks=None)
        for one in three.results
    ]
    said = sentences.remarks(replace(three, results=bounds))
    assert said.count("Not ranked, because") == 1
    assert said.startswith("Not ranked, because requests/s is only a lower bound")
    assert "Their CPU time per request is compared instead." in said


def test_a_range_is_explained_where_there_is_one(
    found: Analysis, article_page: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert {"1–2", "7–9"} <= set(everybody(found))
    assert RANGE in article_page
    assert RANGE in markdown.page(found)
    assert RANGE in " ".join(shown(found).split())
    engines = ("aiohttp-tarantool-one", "sanic-tarantool-one", "japronto-tarantool-one")
    apart = Recipe(engines=engines, pages=("ugly",), depths=(), faults=False)
    clear = analyse(load(write(tmp_path_factory.mktemp("races") / "clear", apart)))
    assert everybody(clear) == ["1", "2", "3"]
    assert RANGE not in html.page(clear)
    assert "this race cannot say" not in shown(clear)


def test_those_whom_nobody_beat_are_green(
    found: Analysis, article_page: str, article: SavedRace
) -> None:
    assert article_page.count('<td class="first"') == sum(
        len(comparison.unbeaten) for comparison in found.closed()
    )
    alike = [cell for cell in article.cells if cell.label.startswith("japronto")]
    nobody = analyse(replace(article, cells=alike))
    assert set(everybody(nobody)) >= {"1–2"}
    assert '<td class="first"' not in html.page(nobody)


def test_too_few_rounds_give_no_range(tmp_path: Path) -> None:
    few = analyse(load(write(tmp_path / "few", Recipe(rounds=2, faults=False))))
    assert set(everybody(few)) == {words.NONE}
    assert not list(legend.ranges(few))
