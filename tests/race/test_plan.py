"""The order of a race: random, mirrored, repeatable; what is never pipelined; fixed rates."""

from __future__ import annotations

from typing import Any

import pytest

from race.errors import RaceError
from race.plan import order as plan
from race.plan import scenario
from race.plan.scenario import Scenario
from race.web import engines
from race.web.engines import Entry

ENTRIES = [Entry(f"aiohttp-{backend}-one", "3.13.0") for backend in ("memory", "tarantool")]


def made(**changes: Any) -> Scenario:
    least = {"name": "x", "title": "t", "engines": ["*"], "pages": ["ugly", "good"]}
    return scenario.from_json({**least, **changes})


def blocks(seed: int, number: int) -> list[plan.Block]:
    found = plan.contenders(made(), ENTRIES)
    works = plan.closed_works(made(pages=["ugly", "about", "good", "bad"]))
    return plan.shuffled({one.label: works for one in found}, found, seed, number)


def test_a_round_is_followed_by_its_reverse() -> None:
    turns = [(b.contender.label, work) for b in blocks(1, 1) for work in b.works]
    half = len(turns) // 2
    assert turns[half:] == turns[:half][::-1]
    assert len(turns) == 2 * 3 * 4


def test_the_cells_of_a_round_are_counted_through() -> None:
    places = [b.order + i for b in blocks(1, 1) for i in range(len(b.works))]
    assert places == list(range(24))


def test_the_order_is_repeatable_and_differs_between_rounds_and_seeds() -> None:
    assert blocks(1, 1) == blocks(1, 1)
    orders = {
        tuple((b.contender.label, b.works) for b in blocks(seed, number))
        for seed in range(4)
        for number in range(4)
    }
    assert len(orders) > 10


def test_one_engine_runs_twice() -> None:
    found = plan.contenders(made(baseline="aiohttp-tarantool-one"), ENTRIES)
    twins = [one for one in found if one.aa]
    assert [one.label for one in twins] == ["aiohttp-tarantool-one (A/A)"]
    assert twins[0].engine == "aiohttp-tarantool-one"


def test_a_page_with_a_database_is_never_pipelined() -> None:
    works = plan.closed_works(made(pages=["index", "good", "ugly"], load={"pipeline": [1, 24]}))
    assert [(work.page, work.load.pipeline) for work in works] == [
        ("index", 1),
        ("good", 1),
        ("ugly", 1),
        ("ugly", 24),
    ]


def test_interpreters_are_told_apart_by_label() -> None:
    entries = [Entry("aiohttp-memory-one", "3.7.16"), Entry("aiohttp-memory-one", "3.13.0")]
    labels = [one.label for one in plan.contenders(made(pythons=["3.7"]), entries)]
    assert labels[:2] == ["aiohttp-memory-one@3.7", "aiohttp-memory-one@3.13"]


def test_rates_are_fractions_of_the_slowest_and_of_ones_own_capacity() -> None:
    chosen = made(pages=["good"], load={"rates_of_slowest": [0.5], "rates_of_own": [0.9]})
    fast, slow, twin = plan.contenders(made(baseline="aiohttp-tarantool-one"), ENTRIES)
    capacity = {(fast.label, "good"): 8000.0, (slow.label, "good"): 1000.0}
    rates = [work.load.rate for work in plan.open_works(chosen, fast, capacity)]
    assert rates == [500.0, 7200.0]
    same = plan.open_works(chosen, slow, capacity)
    assert [work.load.rate for work in same] == [500.0, 900.0]
    assert plan.open_works(chosen, twin, capacity) == same


def test_patterns_choose_engines_and_a_wrong_one_names_the_nearest() -> None:
    found = engines.choose(made(engines=["*-memory-one"], exclude=["japronto*"]))
    names = {entry.engine for entry in [*found.runs, *found.left_out]}
    assert names == {"aiohttp-memory-one", "sanic-memory-one"}
    with pytest.raises(RaceError, match="unknown engine 'aiohttp-memry-one': did you mean"):
        engines.choose(made(engines=["aiohttp-memry-one"]))
