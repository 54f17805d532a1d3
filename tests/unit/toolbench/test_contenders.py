"""The contenders of a race: their levels, labels, and operations that they cannot do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from race.errors import RaceError
from race.machine.describe import current_python
from race.plan.forecast import Plan
from race.plan.read import from_json
from race.run.race import prepare
from race.saved.model import Load
from toolbench.contenders import choose, driver_texts
from toolbench.drivers import DRIVERS
from toolbench.languages import LANGUAGES
from toolbench.scenario import ToolsScenario
from toolbench.tool import (
    FACTORS,
    LOOP,
    PROGRAM,
    RUNNER,
    TRANSPORT,
    ForeignTool,
    Mapper,
    Tool,
)

POSTGRES = [
    name
    for name, tool in DRIVERS.items()
    if tool.database == "postgres" and not isinstance(tool, Mapper)
]


@pytest.fixture(autouse=True)
def everybody_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tool, "problem", lambda self: None)
    monkeypatch.delenv("DATABASE_URL", raising=False)


def made(**more: Any) -> ToolsScenario:
    least = {"name": "x", "title": "t", "discipline": "tools", "drivers": ["asyncpg"]}
    found = from_json({**least, "operations": ["wide"], **more})
    assert isinstance(found, ToolsScenario)
    return found


def planned(**more: Any) -> Plan:
    return prepare(made(**more))


def test_a_size_that_no_operation_has_is_one_line() -> None:
    assert made(sizes={"read": 7}).known["users-large"].rows == 7
    with pytest.raises(RaceError, match="unknown size of operations 'reed': did you mean 'read'"):
        made(sizes={"reed": 7})
    with pytest.raises(RaceError, match="users-pool: a pool of at least 30 and at most 20"):
        made(sizes={"pool_least": 30})


def test_by_default_a_driver_races_once_at_its_plainest() -> None:
    found = choose(made(drivers=["asyncpg", "psycopg2"]))
    assert [one.label for one in found.contenders] == ["asyncpg", "psycopg2"]
    assert found.contenders[0].factors == {
        "driver": "asyncpg",
        "transport": "unix",
        "statements": "prepared",
        "format": "binary",
        "loop": "asyncio",
        "python": current_python(),
    }
    assert found.contenders[1].factors["loop"] == "threads"
    assert found.contenders[1].factors["statements"] == "unprepared"
    assert found.left_out == []


def test_all_levels_that_are_asked_for_are_raced_and_in_the_label() -> None:
    levels = {"loop": ["asyncio", "uvloop"], "statements": ["prepared", "unprepared"]}
    found = choose(made(**levels, transport=["tcp"]))
    assert [one.label for one in found.contenders] == [
        "asyncpg, tcp",
        "asyncpg, tcp, uvloop",
        "asyncpg, tcp, unprepared",
        "asyncpg, tcp, unprepared, uvloop",
    ]
    assert len({tuple(one.factors.items()) for one in found.contenders}) == 4


def test_a_level_that_a_driver_lacks_is_left_out_with_a_note() -> None:
    found = choose(made(drivers=["psycopg2"], loop=["uvloop"], statements=["prepared"]))
    assert [one.label for one in found.contenders] == ["psycopg2"]
    assert found.left_out == [
        "psycopg2 with statements prepared: it has only unprepared",
        "psycopg2 with loop uvloop: it has only threads",
    ]


def test_the_transport_depends_on_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    both = made(transport=["unix", "tcp"])
    assert [one.factors[TRANSPORT] for one in choose(both).contenders] == ["unix", "tcp"]
    monkeypatch.setenv("DATABASE_URL", "postgresql://me@example.com/mine")
    found = choose(both)
    assert [(one.label, one.factors[TRANSPORT]) for one in found.contenders] == [("asyncpg", "tcp")]
    assert found.left_out == ["asyncpg with transport unix: it has only tcp"]


def test_a_url_that_is_wrong_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "nonsense")
    with pytest.raises(RaceError, match="DATABASE_URL"):
        choose(made())


def test_an_operation_that_a_driver_cannot_do_is_not_planned() -> None:
    plan = planned(drivers=["asyncpg", "aiopg"], operations=["wide", "copy-in"], rounds=2)
    reason = DRIVERS["aiopg"].cannot["copy"]
    assert plan.cannot == {"aiopg": {"copy-in": reason}}
    assert f"unsupported: aiopg on copy-in: {reason}" in plan.notes
    # asyncpg and its twin on both, aiopg on one.
    assert [one.label for one in plan.contenders] == ["asyncpg", "aiopg", "asyncpg (A/A)"]
    assert (plan.calibrations, plan.cells) == (5, 10)
    works = [[work.task for work in plan.able(one, plan.works)] for one in plan.contenders]
    assert works == [["wide", "copy-in"], ["wide"], ["wide", "copy-in"]]


def test_a_driver_that_does_none_of_the_operations_is_left_out() -> None:
    found = choose(made(drivers=["aiopg", "asyncpg"], operations=["copy-in"]))
    assert [one.label for one in found.contenders] == ["asyncpg"]
    assert found.left_out[0].startswith("aiopg: it does none of these operations: ")
    found = choose(made(drivers=["asyncpg", "limits-uvloop"]))
    assert found.left_out == ['limits-uvloop: it is driven by wrk: [load] generator = "wrk"']


def test_each_concurrency_is_a_load() -> None:
    plan = planned(load={"concurrency": [1, 10]})
    assert [work.load for work in plan.works] == [
        Load("runner", 1, duration_s=5.0, fixed=True),
        Load("runner", 10, duration_s=5.0, fixed=True),
    ]
    assert [work.load.connections for work in planned(load={"connections": 7}).works] == [7]
    pages = made(
        drivers=["limits-uvloop"],
        operations=["select-sync"],
        load={"generator": "wrk", "concurrency": [4]},
    )
    (load,) = pages.load.closed_loads(False)
    assert (load.generator, load.connections, load.fixed) == ("wrk", 4, True)
    (raised,) = made(load={"generator": "wrk"}).load.closed_loads(False)
    assert not raised.fixed


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"drivers": ["asynpg"]}, "unknown driver 'asynpg': did you mean 'asyncpg'?"),
        ({"operations": ["wid"]}, "unknown operation 'wid': did you mean 'wide'?"),
        ({"loop": ["uvlop"]}, "unknown loop 'uvlop': did you mean 'uvloop'?"),
        ({"transport": ["udp"]}, "unknown transport 'udp': choose from tcp, unix"),
        ({"geometric_mean": ["intz"]}, "unknown operation of the geometric mean 'intz'"),
        ({"load": {"generator": "oha"}}, "unknown load generator 'oha'"),
        ({"load": {"connections": 5, "concurrency": [1]}}, "one of them says how many"),
        ({"load": {"rates": [5]}}, "operations have no fixed rates"),
    ],
)
def test_a_scenario_that_makes_no_sense_is_one_line(more: dict[str, Any], line: str) -> None:
    with pytest.raises(RaceError) as raised:
        planned(**more)
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


def test_every_entry_of_the_registry_is_complete() -> None:
    for name in POSTGRES:
        tool = DRIVERS[name]
        assert tool.text, name
        assert tool.levels.keys() == FACTORS.keys() - {TRANSPORT, PROGRAM}, name
        for factor, levels in tool.levels.items():
            assert set(levels) <= set(FACTORS[factor]), name
    texts = driver_texts()
    assert texts["asyncpg"].endswith("; it gives char as bytes")
    assert set(POSTGRES) <= texts.keys()


def test_a_driver_that_is_absent_says_what_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    absent = replace(DRIVERS["asyncpg"], needs=("not_there_at_all",))
    assert absent.problem() == "not installed (not_there_at_all): make env"
    monkeypatch.setenv("PATH", "/nowhere")
    program = ForeignTool("golang", database="postgres", levels={LOOP: ("goroutines",)})
    assert program.generator == RUNNER
    assert program.not_installed() == f"not installed ({LANGUAGES['golang'].program}): make system"
