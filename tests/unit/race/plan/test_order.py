"""The order of a race: random, then mirrored, repeatable; what is never pipelined; fixed rates."""

from __future__ import annotations

import string
from typing import Any

import pytest

from race.errors import RaceError
from race.plan import order
from race.plan.contenders import baseline, matching, with_twins, without_aliases
from race.plan.forecast import Plan
from race.plan.read import from_json
from race.plan.works import closed_works, open_works
from race.saved.model import Contender, Load, Work
from race.scenario import Scenario
from race.web import engines
from race.web.catalogue import Catalogue, Entry
from race.web.discipline import SiteDiscipline
from race.web.pages import PAGES
from race.web.scenario import SiteScenario
from tests.support.records import contender

ENGINES = [contender("aiohttp-memory-one"), contender("aiohttp-tarantool-one")]


def made(**changes: Any) -> SiteScenario:
    least = {"name": "x", "title": "t", "engines": ["*"], "pages": ["ugly", "good"]}
    found: Scenario = from_json({**least, **changes})
    assert isinstance(found, SiteScenario)
    return found


def cells(seed: int, number: int) -> list[order.Planned]:
    found = with_twins(made(), ENGINES)
    works = closed_works(made(pages=["ugly", "about", "good", "bad"]), PAGES)
    return order.shuffled({one.label: works for one in found}, found, seed, number)


def turns(found: list[order.Planned]) -> list[tuple[str, str]]:
    return [(one.work.task, one.contender.label) for one in found]


def test_a_round_has_every_cell_task_by_task() -> None:
    found = turns(cells(1, 1))
    assert len(set(found)) == len(found) == 3 * 4
    assert [len({task for task, _ in found[at : at + 3]}) for at in range(0, 12, 3)] == [1] * 4
    assert [one.order for one in cells(1, 1)] == list(range(12))


def test_each_number_of_connections_is_a_load_that_is_not_raised() -> None:
    loads = [one.load for one in closed_works(made(load={"concurrency": [1, 256]}), PAGES)]
    assert [one.connections for one in loads] == [1, 256, 1, 256]
    assert not any(one.fills for one in loads)


def test_an_even_round_is_the_reverse_of_the_one_before() -> None:
    assert turns(cells(1, 2)) == turns(cells(1, 1))[::-1]
    assert turns(cells(1, 4)) == turns(cells(1, 3))[::-1]
    assert turns(cells(1, 3)) != turns(cells(1, 1))
    assert [one.order for one in cells(1, 2)] == list(range(12))


def test_in_turn_every_round_has_one_contender_after_the_other() -> None:
    found = with_twins(made(), ENGINES)
    works = closed_works(made(pages=["good", "ugly"]), PAGES)
    rounds = [order.in_turn({one.label: works for one in found}, found, one) for one in (1, 2)]
    assert turns(rounds[0]) == turns(rounds[1])
    assert turns(rounds[0]) == [(page, one.label) for one in found for page in ("good", "ugly")]
    assert [one.order for one in rounds[0]] == list(range(6))


def test_the_order_is_repeatable_and_differs_between_rounds_and_seeds() -> None:
    assert cells(1, 1) == cells(1, 1)
    orders = {tuple(turns(cells(seed, number))) for seed in range(4) for number in range(5)}
    assert len(orders) > 16


def test_one_contender_runs_twice() -> None:
    found = with_twins(made(baseline="aiohttp-tarantool-one"), ENGINES)
    twins = [one for one in found if one.aa]
    assert [one.label for one in twins] == ["aiohttp-tarantool-one (A/A)"]
    assert twins[0].name == "aiohttp-tarantool-one"
    assert with_twins(made(), []) == []
    assert baseline(made(baseline="gone"), ENGINES) == "aiohttp-memory-one"


def test_a_page_with_a_database_is_never_pipelined() -> None:
    chosen = made(pages=["index", "good", "ugly"], load={"pipeline": [1, 24]})
    works = closed_works(chosen, PAGES)
    assert [(work.task, work.load.pipeline, work.load.connections) for work in works] == [
        ("index", 1, 16),
        ("good", 1, 16),
        ("ugly", 1, 16),
        ("ugly", 24, 8),
    ]
    assert {work.load.generator for work in works} == {"wrk"}


def test_interpreters_and_workers_are_told_apart_by_label(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(version: str | None = None) -> Catalogue:
        factors = {"python": version or "3.13"}
        entries = [Entry("a-b-one", factors, "tarantool"), Entry("a-memory-one", factors)]
        return Catalogue({"render": ["jinja"]}, entries)

    monkeypatch.setattr(engines, "catalogue", listed)
    monkeypatch.setattr(engines, "found_pythons", lambda: ["3.7", "3.8", "3.13"])
    chosen = made(engines=["a-b-one"], pythons=["3.7", "3.8"], workers=[1, 2])
    found = engines.choose(chosen).contenders
    assert [one.label for one in found] == [
        "a-b-one@3.7, 1 worker",
        "a-b-one@3.7, 2 workers",
        "a-b-one@3.8, 1 worker",
        "a-b-one@3.8, 2 workers",
    ]
    assert found[1].factors == {"python": "3.7", "render": "jinja", "workers": "2"}
    far = engines.choose(made(engines=["a-*-one"], link=[0, 2], distance=[12])).contenders
    assert [one.label for one in far] == [
        "a-b-one, link 0 ms, distance 12 ms",
        "a-b-one, link 2 ms, distance 12 ms",
        "a-memory-one, link 0 ms, distance 12 ms",
    ]
    alone = engines.choose(made(engines=["a-memory-one"], workers=[1, 2]))
    assert [one.factors["workers"] for one in alone.contenders] == ["1"]
    assert alone.left_out == ["a-memory-one with more than one worker"]


def test_rates_are_fractions_of_the_slowest_and_of_ones_own_capacity() -> None:
    chosen = made(pages=["good"], load={"rates_of_slowest": [0.5], "rates_of_own": [0.9]})
    fast, slow, twin = with_twins(made(baseline="aiohttp-tarantool-one"), ENGINES)
    capacity = {(fast.label, "good"): 8000.0, (slow.label, "good"): 1000.0}
    rates = [work.load.rate for work in open_works(chosen, fast, capacity)]
    assert rates == [500.0, 7200.0]
    same = open_works(chosen, slow, capacity)
    assert [work.load.rate for work in same] == [500.0, 900.0]
    assert {work.load.generator for work in same} == {"oha"}
    assert open_works(chosen, twin, capacity) == same


KNOWN = ["aiohttp-memory-one", "aiohttp-memory-one-uvloop", "sanic-memory-one", "Own"]


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["AIOHTTP-memory-one"], KNOWN[:1]),
        (["Sanic-*", "own"], KNOWN[2:]),
        (["*-one", "aiohttp-*"], [KNOWN[0], KNOWN[2], KNOWN[1]]),
    ],
)
def test_names_and_patterns_fit_in_any_case(patterns: list[str], found: list[str]) -> None:
    assert matching(made(engines=patterns), KNOWN, "engine") == found


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"engines": ["sanic-memry-one"]}, "unknown engine 'sanic-memry-one': did you mean 'sanic"),
        ({"engines": ["aiohttp"]}, "'aiohttp': 'aiohttp-*' takes all 2 that begin so"),
        (
            {"engines": ["aiohttp-nothing-one"]},
            "after 'aiohttp-' comes one of memory, not 'nothing'",
        ),
        ({"engines": ["sanc-memory-*"]}, "no engine fits 'sanc-memory-*': did you mean 'sanic-"),
        ({"exclude": ["zzz*"]}, "no engine fits 'zzz*': choose from Own, aiohttp-memory-one"),
        ({"exclude": ["*"]}, "scenario x: every engine is excluded"),
    ],
)
def test_what_fits_nothing_is_one_short_line(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RaceError) as caught:
        matching(made(**changes), KNOWN, "engine")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["aiohttp-own-*"], KNOWN[:2]),
        (["Aiohttp-Own-memory-one, prepared", "own"], ["aiohttp-memory-one, prepared", "own"]),
        (["own, sanic-own-memory-one@3.7"], ["own", "sanic-memory-one@3.7"]),
        (["aiohttp-*-memory-one"], ["aiohttp-*-memory-one", KNOWN[0]]),
        (["aiohttp-*, prepared"], ["aiohttp-*, prepared"]),
        (["nothing-own"], ["nothing-own"]),
    ],
)
def test_patterns_fit_the_long_name_too(patterns: list[str], found: list[str]) -> None:
    known = [*KNOWN, "aiohttp-granian-memory-one"]
    aliases = {name.replace("-", "-own-", 1): name for name in KNOWN[:3]} | {known[-1]: known[-1]}
    chosen = made(engines=patterns, exclude=patterns, baseline="sanic-own-memory-one@3.7")
    chosen = without_aliases(chosen, known, aliases, "engine")
    assert [*chosen.contenders] == [*chosen.exclude] == found
    assert (chosen.baseline, chosen.twin) == ("sanic-memory-one@3.7", None)
    with pytest.raises(RaceError, match=r"'sanic-own-.' takes all 1 that begin so"):
        without_aliases(made(engines=["sanic-own"]), known, aliases, "engine")


def test_many_names_are_counted_and_not_listed() -> None:
    many = [f"{one}-memory-one" for one in string.ascii_lowercase]
    with pytest.raises(RaceError) as caught:
        matching(made(engines=["?????*%"]), many, "engine")
    assert str(caught.value) == "no engine fits '?????*%': all 26 are in `server.py --list --json`"


def test_the_baseline_is_known_in_any_case() -> None:
    chosen = made(baseline="AIOHTTP-Tarantool-one")
    assert baseline(chosen, ENGINES) == "aiohttp-tarantool-one"
    assert with_twins(chosen, ENGINES)[-1].name == "aiohttp-tarantool-one"


def test_the_forecast_counts_the_cells_that_are_run() -> None:
    contenders: list[Contender] = with_twins(made(), ENGINES)
    closed = Plan(SiteDiscipline(), made(rounds=3), contenders, [])
    assert closed.calibrations == 3 * 2
    assert closed.cells == 3 * 3 * 2
    assert closed.seconds() > closed.cells * 5
    rated = Plan(SiteDiscipline(), made(rounds=3, load={"rates": [100, 200]}), contenders, [])
    assert rated.rounds == 4
    assert rated.cells == 3 * (2 + 3 * 2 * 2)


def test_contenders_run_the_same_number_at_once_one_after_the_other() -> None:
    loads = [Load("runner", number, fixed=True) for number in (1, 10, 50)]
    works = [Work(task, load) for task in ("good", "ugly") for load in loads]
    found = order.shuffled({one.label: works for one in ENGINES}, ENGINES, 1, 1)
    groups = [
        {(one.work.task, one.work.load.connections) for one in found[at : at + 2]}
        for at in range(0, 12, 2)
    ]
    assert [len(group) for group in groups] == [1] * 6


def test_who_cannot_do_a_task_is_not_planned_for_it_nor_its_twin() -> None:
    contenders = with_twins(made(), ENGINES)
    lacks = {ENGINES[0].label: {"good": "it has no such thing"}}
    plan = Plan(SiteDiscipline(), made(rounds=3), contenders, [], cannot=lacks)
    assert (plan.calibrations, plan.cells) == (4, 12)
    works = [[work.task for work in plan.able(one, plan.works)] for one in contenders]
    assert works == [["ugly"], ["ugly", "good"], ["ugly"]]
    assert plan.seconds() < Plan(SiteDiscipline(), made(rounds=3), contenders, []).seconds()


def test_a_pattern_names_several_twins() -> None:
    twins = [one.label for one in with_twins(made(twin="*"), ENGINES) if one.aa]
    assert twins == [f"{one.label} (A/A)" for one in ENGINES]
