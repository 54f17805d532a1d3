"""MySQL: its orders, the harness's own connection, and each operation on each driver."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import time
from collections.abc import Iterator

import pytest

from databases import find
from race.errors import CellFailed
from race.plan.read import from_json
from race.saved.model import Contender, Load, Work
from tests.conftest import absent
from tests.support.site_server import Databases
from tests.toolbench.test_postgres import does_each, notices, started
from toolbench.contenders import lacking, raced
from toolbench.drivers import DRIVERS
from toolbench.mysql import table, reference
from toolbench.mysql.reference import MysqlReference
from toolbench.operation import operations
from toolbench.scenario import ToolsScenario
from toolbench.shared import Shared, opened

NAME = "mysql"
OPERATIONS = [name for name, one in operations().items() if one.database == NAME]
NAMES = [name for name, tool in DRIVERS.items() if tool.database == NAME]
# Of two workers on a busy machine they may last longer than a runner waits.
LARGE = ("orders-half", "orders-burst")
LATEST = operations()["orders-latest"]
POOL = "orders-pool"


def _all() -> ToolsScenario:
    found = from_json(
        {
            "name": "x",
            "title": "t",
            "discipline": "tools",
            "drivers": NAMES,
            "operations": OPERATIONS,
            "statements": ["prepared", "unprepared"],
        }
    )
    assert isinstance(found, ToolsScenario)
    return found


ALL = _all()
CONTENDERS = [one for name in NAMES for one in raced(ALL, name)]


@pytest.fixture(scope="module")
def shared(databases: Databases) -> Iterator[Shared]:
    """The run's private MariaDB, prepared."""
    if missing := find(NAME).missing():
        absent(missing)
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("MYSQL_URL", raising=False)
        patched.setenv("VAR_DIR", databases.env()["VAR_DIR"])
        with opened(ALL, CONTENDERS) as found:
            yield found


@pytest.fixture
def seen(shared: Shared) -> Iterator[MysqlReference]:
    """A connection like the harness's own."""
    made = MysqlReference(shared.databases.url(NAME) or "")
    yield made
    made.close()


def test_the_orders_are_the_same_everywhere() -> None:
    found = repr([tuple(one) for one in table.orders()])
    assert hashlib.sha256(found.encode()).hexdigest().startswith("0398bf201a3971c0")


def test_the_orders_are_like_a_shop_s() -> None:
    """Some of what may be missing is; a customer has some fifty of them."""
    found = table.orders()
    assert len(found) == table.ORDERS
    for name in ("packed", "wanted", "note"):
        missing = sum(getattr(one, name) is None for one in found)
        assert 0.05 < missing / len(found) < 0.25, name
    assert 20 < sum(one.customer == 77 for one in found) < 90
    assert max(len(one.note or "") for one in found) > 150


@pytest.mark.parametrize("contender", CONTENDERS, ids=lambda one: one.label)
def test_each_operation_on_each_driver(shared: Shared, contender: Contender) -> None:
    cannot = lacking(ALL, contender.name)
    does_each(started(shared, contender), OPERATIONS, cannot, large=LARGE)


def test_a_value_in_another_row_is_noticed(shared: Shared) -> None:
    notices(started(shared, raced(ALL, "pymysql")[0]), "orders-insert", columns=(0, 2, 3, 4))


@pytest.mark.parametrize("name", ["asyncmy", "aiomysql"])
def test_who_is_at_rest_holds_one_connection(shared: Shared, seen: MysqlReference, name: str) -> None:
    """Not those of its pool: after a check, after a load and a check, after a load of another."""
    before = connections(seen)
    (contender,) = (one for one in CONTENDERS if one.label == name)
    one = started(shared, contender)
    try:
        for after in (POOL, "orders-burst", "orders-latest"):
            one.check(POOL)
            comes_down_to(1, seen, before)
            sample = one.drive(Work(POOL, Load("runner", 8, duration_s=0.2, fixed=True)))
            assert sample.count > 0
            assert sample.failed == 0
            assert len(connections(seen) - before) > 8
            one.check(after)
            comes_down_to(1, seen, before)
    finally:
        one.close()
    comes_down_to(0, seen, before)


def connections(seen: MysqlReference) -> set[str | None]:
    """All that are open now, by their numbers."""
    asked = "SELECT id FROM information_schema.processlist WHERE command <> 'Daemon'"
    return {row[0] for row in seen._texts(asked)}


def comes_down_to(number: int, seen: MysqlReference, before: set[str | None]) -> None:
    """So many more than before are left, soon: a server ends a connection in its own time."""
    deadline = time.monotonic() + 3
    while len(connections(seen) - before) != number:
        assert time.monotonic() < deadline, connections(seen) - before
        time.sleep(0.02)


def test_a_database_that_was_away_is_asked_again(shared: Shared, seen: MysqlReference) -> None:
    small = "SELECT 1 + $1"
    assert seen._texts(small, [1]) == [["2"]]
    other = MysqlReference(shared.databases.url(NAME) or "")
    for number in connections(seen):
        with contextlib.suppress(CellFailed):
            other._run(f"KILL {number}")
    other.close()
    assert seen._texts(small, [2]) == [["3"]]


def test_a_database_that_hangs_is_one_line(
    shared: Shared, seen: MysqlReference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "ANSWER_SECONDS", 0.3)
    seen.close()
    assert seen._texts("SELECT 1") == [["1"]]
    pid = shared.databases.pid(NAME)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(CellFailed, match=r"^mysql: [^\n]*timed out[^\n]*$"):
            seen._texts("SELECT 1")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert seen._texts("SELECT 1") == [["1"]]


@pytest.fixture
def small(
    shared: Shared, seen: MysqlReference, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MysqlReference]:
    """One in a database of its own, with few orders."""
    few = table.orders()[:500]
    monkeypatch.setattr(table, "orders", lambda: few)
    seen._run("CREATE DATABASE IF NOT EXISTS small_toolbench")
    url = shared.databases.url(NAME) or ""
    made = MysqlReference(url.replace("/?", "/small_toolbench?"))
    yield made
    made.close()


def test_a_table_of_another_formula_is_made_anew(small: MysqlReference) -> None:
    count = f"SELECT COUNT(*) FROM {table.TABLE}"  # noqa: S608  a constant
    small.prepare(LATEST)
    assert small._texts(count) == [["500"]]
    small._run(f"DELETE FROM {table.TABLE} WHERE id > 100")  # noqa: S608  a constant
    small.prepare(LATEST)
    assert small._texts(count) == [["100"]]
    small._run(f"ALTER TABLE {table.TABLE} COMMENT = 'an older one'")
    small.prepare(LATEST)
    assert small._texts(count) == [["500"]]


def test_a_database_that_keeps_something_else_is_noticed(
    small: MysqlReference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "VERSION", "another")
    monkeypatch.setattr(reference, "tagged", lambda value: ["text", "something"])
    line = r"^MariaDB, the orders: row 1, column 1 is int 1 where text 'something' is right$"
    with pytest.raises(CellFailed, match=line):
        small.prepare(LATEST)


def test_a_database_that_does_not_answer_is_one_line() -> None:
    with pytest.raises(CellFailed, match=r"^mysql: [^\n]*127\.0\.0\.1[^\n]*$"):
        MysqlReference("mysql://nobody@127.0.0.1:1/x").expected(LATEST)
