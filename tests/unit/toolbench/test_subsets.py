"""A part of every scenario can be raced, and what a plan prints can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from race.errors import RaceError
from race.load import oha, wrk
from race.machine.describe import current_python
from race.plan import read
from race.plan.forecast import Plan
from race.run.race import prepare
from race.web import engines
from race.web.catalogue import Catalogue, Entry
from race.web.locust import generator
from toolbench.tool import Tool

PYTHONS = ("3.7", current_python())
FACTORS: dict[str, Sequence[str]] = {
    **dict.fromkeys(("web", "backend", "connection"), ()),
    "render": ["jinja", "minijinja", "prepared"],
    "python": PYTHONS,
}


@cache
def catalogue(version: str | None = None) -> Catalogue:
    """List the engines that ready-made scenarios name, as if all could run here."""
    scenarios = [one for one in map(read.load, read.names()) if one.discipline == "web"]
    names = {name for one in scenarios for name in one.contenders if name not in one.own_programs}
    entries = [Entry(name, {"python": version or PYTHONS[-1]}, "tarantool") for name in names]
    return Catalogue(FACTORS, entries)


@pytest.fixture(autouse=True)
def _everything_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (generator.Locust, oha.Oha, wrk.Wrk):
        monkeypatch.setattr(kind, "missing", lambda self: None)
    monkeypatch.setattr(generator.Locust, "curve", lambda self, load: [1] * 20)
    monkeypatch.setattr(engines, "catalogue", catalogue)
    monkeypatch.setattr(engines, "found_pythons", lambda: list(PYTHONS))
    monkeypatch.setattr(engines, "found_builds", lambda: [".venv", ".venv-fast"])
    monkeypatch.setattr(Tool, "problem", lambda self: None)
    for variable in ("DATABASE_URL", "MYSQL_URL", "TARANTOOL_URL"):
        monkeypatch.delenv(variable, raising=False)


def planned(name: str, **changes: Sequence[str] | str | int) -> Plan:
    return prepare(read.change(read.load(name), changes))


def labels(plan: Plan) -> list[str]:
    return [one.label for one in plan.contenders if not one.aa]


@pytest.mark.parametrize("name", read.names())
def test_one_task_of_a_scenario_can_be_raced(name: str) -> None:
    for task in read.load(name).tasks:
        assert {work.task for work in planned(name, tasks=[task]).works} <= {task}


@pytest.mark.parametrize("name", read.names())
def test_every_label_of_a_plan_chooses_that_contender(name: str) -> None:
    plan = planned(name)
    whole = labels(plan)
    for one in plan.contenders[:-1]:
        # A label without levels is a name, too: it chooses all labels of that name.
        of_name = [other.label for other in plan.contenders[:-1] if other.name == one.label]
        assert labels(planned(name, contenders=one.label)) == (of_name or [one.label])
    assert labels(planned(name, contenders="; ".join(whole))) == whole


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("asyncpg, uvloop", ["asyncpg, uvloop"]),
        ("asyncpg, uvloop;psycopg2", ["asyncpg, uvloop", "psycopg2"]),
        ("asyncpg, uvloop, psycopg2", ["asyncpg, uvloop", "psycopg2"]),
        ("ASYNCPG, UVLOOP,psycopg2", ["asyncpg, uvloop", "psycopg2"]),
        ("asyncpg,psycopg2", ["asyncpg, uvloop", "psycopg2"]),
        ("asyncpg, psycopg2", ["asyncpg, uvloop", "psycopg2"]),
        ("aiopg*, uvloop", ["aiopg, uvloop", "aiopg-dict, uvloop"]),
    ],
)
def test_labels_and_names_can_stand_in_one_list(typed: str, chosen: list[str]) -> None:
    assert labels(planned("toolbench-postgres", contenders=typed)) == chosen


def test_a_label_can_be_excluded_and_be_the_baseline() -> None:
    plan = planned(
        "toolbench-options",
        contenders="asyncpg",
        exclude="asyncpg, tcp, unprepared;asyncpg, tcp, uvloop",
        baseline="asyncpg, unprepared, uvloop",
        transport="tcp, unix",
    )
    found = labels(plan)
    assert len(found) == 6
    assert not {"asyncpg, tcp, unprepared", "asyncpg, tcp, uvloop"} & set(found)
    assert plan.contenders[-1].label == "asyncpg, unprepared, uvloop (A/A)"


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        (
            "asyncpg, uvlop",
            "no driver is called 'asyncpg, uvlop' here: did you mean 'asyncpg, uvloop'",
        ),
        ("asynpg, uvloop", "unknown driver 'asynpg': did you mean 'asyncpg'?"),
    ],
)
def test_a_label_that_no_contender_has_is_one_line(typed: str, line: str) -> None:
    with pytest.raises(RaceError) as refusal:
        planned("toolbench-postgres", contenders=typed)
    assert str(refusal.value).startswith(line)


@pytest.mark.parametrize("name", [one for one in read.names() if one.startswith("toolbench")])
def test_concurrency_and_connections_replace_each_other(name: str) -> None:
    for key in ("load.concurrency", "load.connections"):
        plan = planned(name, **{key: 8})
        assert {work.load.connections for work in plan.works} == {8}


def test_a_mean_is_over_the_operations_that_are_raced() -> None:
    scenario = planned("toolbench-postgres", tasks=["one-plus-one", "wide"]).scenario
    assert scenario.as_json()["geometric_mean"] == ("wide",)
