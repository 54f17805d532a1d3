"""MySQL: each operation on each driver, and the reference with its orders."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from race.errors import CellFailed
from race.saved.model import Contender, Load, Work
from tests.live.toolbench.conftest import does_each, plainest, scenario, started
from tests.live.toolbench.test_postgres import notices
from tests.support.site_server import until
from toolbench.contenders import raced
from toolbench.mysql import reference as module
from toolbench.mysql import table
from toolbench.mysql.reference import MysqlReference
from toolbench.operation import Records, operations
from toolbench.shared import Shared
from toolbench.timeouts import TIMEOUTS

NAME = "mysql"
LATEST = operations()["orders-latest"]
POOL = "orders-pool"
ALL = scenario(NAME)
# Prepared statements have rows of their own, in binary.
PREPARED = raced(scenario(NAME, statements=["prepared"]), "asyncmy")


@pytest.fixture
def shared(prepared: Callable[[str], Shared]) -> Shared:
    return prepared(NAME)


@pytest.fixture
def reference(shared: Shared) -> Iterator[MysqlReference]:
    """A connection like the harness's own."""
    made = MysqlReference(shared.databases.url(NAME) or "")
    yield made
    made.close()


@pytest.fixture
def smaller(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the operations read fewer rows; tests/long has the whole ones."""
    known = dict(shared.operations)
    half, burst = known["orders-half"], known["orders-burst"]
    known[half.name] = replace(half, args=(2000,), rows=2000)
    known[burst.name] = replace(burst, records=Records(200, ("int",)), rows=200)
    monkeypatch.setattr(shared, "operations", known)


@pytest.mark.usefixtures("smaller")
@pytest.mark.parametrize("contender", [*plainest(NAME), *PREPARED], ids=lambda one: one.label)
def test_each_operation_on_each_driver(shared: Shared, contender: Contender) -> None:
    with started(shared, contender) as one:
        does_each(one, ALL)


def test_a_value_in_another_row_is_found(shared: Shared) -> None:
    with started(shared, raced(ALL, "pymysql")[0]) as one:
        notices(one, "orders-insert", columns=(0, 2, 3, 4))


@pytest.mark.usefixtures("smaller")
@pytest.mark.parametrize("name", ["asyncmy", "aiomysql"])
def test_a_driver_at_rest_holds_one_connection(
    shared: Shared, reference: MysqlReference, name: str
) -> None:
    """Its pool is closed after a check, after a load and a check, after a load of another."""
    before = connections(reference)

    def comes_down_to(number: int) -> None:
        until(lambda: len(connections(reference) - before) == number, 3, "a connection stays open")

    with started(shared, raced(ALL, name)[0]) as one:
        for after in (POOL, "orders-burst", "orders-latest"):
            one.check(POOL)
            comes_down_to(1)
            sample = one.drive(Work(POOL, Load("runner", 8, duration_s=0.2, fixed=True)))
            assert sample.count > 0
            assert sample.failed == 0
            assert len(connections(reference) - before) > 8
            one.check(after)
            comes_down_to(1)
    comes_down_to(0)


def connections(reference: MysqlReference) -> set[str | None]:
    """Return the connections that are open now, by their numbers."""
    asked = "SELECT id FROM information_schema.processlist WHERE command <> 'Daemon'"
    return {row[0] for row in reference._texts(asked)}


def test_a_database_that_was_away_is_asked_again(shared: Shared, reference: MysqlReference) -> None:
    small = "SELECT 1 + $1"
    assert reference._texts(small, [1]) == [["2"]]
    other = MysqlReference(shared.databases.url(NAME) or "")
    for number in connections(reference):
        with contextlib.suppress(CellFailed):
            other.run([f"KILL {number}"])
    other.close()
    assert reference._texts(small, [2]) == [["3"]]


def test_a_database_that_hangs_is_one_line(
    shared: Shared, reference: MysqlReference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TIMEOUTS", TIMEOUTS._replace(statement=0.3))
    reference.close()
    assert reference._texts("SELECT 1") == [["1"]]
    pid = shared.databases.pid(NAME)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(CellFailed, match=r"^mysql: [^\n]*timed out[^\n]*$"):
            reference._texts("SELECT 1")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert reference._texts("SELECT 1") == [["1"]]


@pytest.fixture
def small(
    shared: Shared, reference: MysqlReference, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MysqlReference]:
    """One in a database of its own, with few orders."""
    few = table.orders()[:500]
    monkeypatch.setattr(table, "orders", lambda: few)
    reference.run(["CREATE DATABASE IF NOT EXISTS small_toolbench"])
    url = shared.databases.url(NAME) or ""
    made = MysqlReference(url.replace("/?", "/small_toolbench?"))
    yield made
    made.close()


def test_a_table_of_another_formula_is_made_anew(small: MysqlReference) -> None:
    count = f"SELECT COUNT(*) FROM {table.TABLE}"  # noqa: S608  a constant
    small.prepare(LATEST)
    assert small._texts(count) == [["500"]]
    small.run([f"DELETE FROM {table.TABLE} WHERE id > 100"])  # noqa: S608  a constant
    small.prepare(LATEST)
    assert small._texts(count) == [["100"]]
    small.run([f"ALTER TABLE {table.TABLE} COMMENT = 'an older one'"])
    small.prepare(LATEST)
    assert small._texts(count) == [["500"]]


def test_users_are_as_many_as_a_race_asks_for_and_gone_at_its_end(small: MysqlReference) -> None:
    for rows, read in ((30, 20), (40, 25)):
        known = operations(sizes=(("batch", 2), ("read", read), ("rows", rows)))
        users, insert = known["users-large"], known["users-insert"]
        small.prepare(users)
        small.prepare(insert)
        assert small._texts("SELECT COUNT(*) FROM toolbench_users") == [[str(rows)]]
        assert len(small.expected(users)) == read
        assert small.after(insert) == []
        small.run([*users.cleanup, *insert.cleanup])
        assert small._texts("SHOW TABLES LIKE 'toolbench_users%'") == []


def test_a_database_that_keeps_something_else_is_noticed(
    small: MysqlReference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "VERSION", "another")
    monkeypatch.setattr(module, "encode", lambda value: ["text", "something"])
    line = r"^MariaDB, the orders: row 1, column 1 is int 1 where text 'something' is right$"
    with pytest.raises(CellFailed, match=line):
        small.prepare(LATEST)


def test_a_database_that_does_not_answer_is_one_line() -> None:
    with pytest.raises(CellFailed, match=r"^mysql: [^\n]*127\.0\.0\.1[^\n]*$"):
        MysqlReference("mysql://nobody@127.0.0.1:1/x").expected(LATEST)
