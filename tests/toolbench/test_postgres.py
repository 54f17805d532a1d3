"""PostgreSQL: each operation on each driver, at each of its levels, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from msgspec.structs import replace

from databases import private
from race.errors import CellFailed, RaceError
from race.plan.read import from_json
from race.saved.model import Contender, Load, Work
from tests.conftest import absent
from tests.support.site_server import Databases
from toolbench.contenders import lacking, raced
from toolbench.drivers import DRIVERS, TRANSPORT, Mapper
from toolbench.operation import operations
from toolbench.postgres import listener
from toolbench.records import records
from toolbench.scenario import ToolsScenario
from toolbench.shared import Shared, opened
from toolbench.subject import Driven

OPERATIONS = [
    name
    for name, one in operations().items()
    if one.database == "postgres" and one.kind != "workload"
]
NAMES = [
    name
    for name, tool in DRIVERS.items()
    if tool.database == "postgres" and not isinstance(tool, Mapper)
]


def scenario(**more: Any) -> ToolsScenario:
    least = {"name": "x", "title": "t", "discipline": "tools", "drivers": NAMES}
    found = from_json({**least, "operations": OPERATIONS, **more})
    assert isinstance(found, ToolsScenario)
    return found


PLAIN = scenario()
ALL = scenario(
    loop=["asyncio", "uvloop"],
    statements=["prepared", "unprepared"],
    format=["text", "binary"],
)
CONTENDERS = [one for name in NAMES for one in raced(ALL, name)]


@pytest.fixture(scope="module")
def shared(databases: Databases) -> Iterator[Shared]:
    """The run's private PostgreSQL, prepared."""
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("DATABASE_URL", raising=False)
        patched.setenv("VAR_DIR", databases.env()["VAR_DIR"])
        with opened(PLAIN, [one for name in NAMES for one in raced(PLAIN, name)]) as found:
            yield found


def started(shared: Shared, contender: Contender) -> Driven:
    if problem := DRIVERS[contender.name].lacking():
        absent(f"{contender.name}: {problem}")
    one = shared.start(contender)
    assert isinstance(one, Driven)
    return one


def does_each(
    one: Driven, tasks: list[str], cannot: Container[str], large: Container[str] = ()
) -> None:
    """What it cannot do is what its line says; what it does is right, and at its plainest levels it
    is right again after a load, unless it is a large one.
    """
    try:
        for task in tasks:
            if task in cannot:
                with pytest.raises(CellFailed, match="it has nothing for"):
                    one.check(task)
                continue
            one.check(task)
            if task in large or one.contender.label != one.contender.name:
                continue
            rows = one.facts(task)["rows"]
            sample = one.drive(Work(task, Load("runner", 2, duration_s=0.1, fixed=True)))
            assert sample.failed == 0, sample.errors
            assert sample.count > 0
            assert rows == one.facts(task)["rows"]
            one.check(task)
    finally:
        one.close()


@pytest.mark.parametrize("contender", CONTENDERS, ids=lambda one: one.label)
def test_each_operation_on_each_driver(shared: Shared, contender: Contender) -> None:
    does_each(started(shared, contender), OPERATIONS, lacking(ALL, contender.name))


def notices(one: Driven, task: str, columns: Sequence[int]) -> None:
    """A value that a driver writes into another's row is not right: all sums are, then."""
    try:
        for column in columns:
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("toolbench.operation.records", swapped(column))
                with pytest.raises(CellFailed, match=f"{task}: it left"):
                    one.check(task)
        one.check(task)
    finally:
        one.close()


def swapped(column: int) -> Callable[[Sequence[str], int], list[list[Any]]]:
    """The records, but two neighbours have each other's value of a column."""

    def made(form: Sequence[str], count: int) -> list[list[Any]]:
        found = records(form, count)
        one, other = found[7:9]
        one[column], other[column] = other[column], one[column]
        return found

    return made


@pytest.mark.parametrize("task", ["copy-in", "batch"])
def test_a_value_in_another_row_is_noticed(shared: Shared, task: str) -> None:
    notices(started(shared, raced(PLAIN, "asyncpg")[0]), task, columns=(1, 2))


def test_the_wide_query_is_that_of_the_article(shared: Shared) -> None:
    found = shared.references["postgres"].expected(operations()["wide"])
    assert len(found) > 300
    assert {len(row) for row in found} == {12}
    assert {row[4] for row in found} == {"true", "false"}


def test_a_driver_reaches_the_database_over_tcp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server that listens on both, takes nobody without a password, and ends with the race.

    Settings for a server of the user's lead nobody elsewhere.
    """
    monkeypatch.setenv("PGSERVICE", "nothing")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    both = scenario(drivers=["asyncpg"], operations=["one-plus-one"], transport=["unix", "tcp"])
    contenders = raced(both, "asyncpg")
    with opened(both, contenders) as found:
        pid = found.databases.pid("postgres")
        assert pid is not None
        where = found.address("postgres", "tcp")
        for contender in contenders:
            one = started(found, contender)
            try:
                one.check("one-plus-one")
                assert (where.port in ports(one)) is (contender.factors[TRANSPORT] == "tcp")
            finally:
                one.close()
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(host=where.host, port=where.port, user=where.user, dbname=where.name)
        with pytest.raises(RaceError, match="used by another race"), opened(both, contenders):
            pass
        assert (tmp_path / listener.NAME).is_dir()
    assert not psutil.pid_exists(pid)
    assert not (tmp_path / "postgres").exists()


def ports(one: Driven) -> set[int]:
    """Where its process is connected to."""
    process = psutil.Process(one.runner.child.pid)
    return {each.raddr.port for each in process.net_connections("tcp")}


def test_a_database_that_is_gone_is_one_line_and_found_again(
    shared: Shared, databases: Databases
) -> None:
    one = started(shared, raced(PLAIN, "asyncpg")[0])
    try:
        one.check("one-plus-one")
        with private.down("postgres"):
            sample = one.drive(Work("one-plus-one", Load("runner", 1, duration_s=0.1, fixed=True)))
            assert sample.failed > 0
            with pytest.raises(CellFailed) as raised:
                one.check("one-plus-one")
            assert "\n" not in str(raised.value)
        assert not one.alive()
    finally:
        one.close()
    again = started(shared, raced(PLAIN, "asyncpg")[0])
    try:
        again.check("one-plus-one")
    finally:
        again.close()


def test_what_an_operation_needs_and_cannot_have_is_one_line(shared: Shared) -> None:
    wrong = replace(operations()["ints"], prepare=("create tabel x ()",))
    with pytest.raises(CellFailed, match="postgres: syntax error"):
        shared.references["postgres"].prepare(wrong)
