"""MySQL: its orders, the harness's own connection, and each operation on each driver."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from databases import find
from race.errors import CellFailed
from race.plan.read import from_json
from race.saved.model import Contender
from tests.conftest import absent
from tests.support.site_server import Databases
from tests.toolbench.test_postgres import does_each, started
from toolbench.contenders import lacking, raced
from toolbench.drivers import DRIVERS
from toolbench.mysql import table, witness
from toolbench.mysql.witness import MysqlWitness
from toolbench.operation import operations
from toolbench.scenario import ToolsScenario
from toolbench.shared import Shared, opened

NAME = "mysql"
OPERATIONS = [name for name, one in operations().items() if one.database == NAME]
NAMES = [name for name, tool in DRIVERS.items() if tool.database == NAME]
# Of two workers on a busy machine they may last longer than a runner waits.
LARGE = ("orders-half", "orders-burst")
LATEST = operations()["orders-latest"]


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
def seen(shared: Shared) -> MysqlWitness:
    """The harness's own connection."""
    found = shared.witnesses[NAME]
    assert isinstance(found, MysqlWitness)
    return found


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


@pytest.fixture
def small(
    shared: Shared, seen: MysqlWitness, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MysqlWitness]:
    """One in a database of its own, with few orders."""
    few = table.orders()[:500]
    monkeypatch.setattr(table, "orders", lambda: few)
    seen._run("CREATE DATABASE IF NOT EXISTS small_toolbench")
    url = shared.databases.url(NAME) or ""
    made = MysqlWitness(url.replace("/?", "/small_toolbench?"))
    yield made
    made.close()


def test_a_table_of_another_formula_is_made_anew(small: MysqlWitness) -> None:
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
    small: MysqlWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "VERSION", "another")
    monkeypatch.setattr(witness, "tagged", lambda value: ["text", "something"])
    line = r"^MariaDB, the orders: row 1, column 1 is int 1 where text 'something' is right$"
    with pytest.raises(CellFailed, match=line):
        small.prepare(LATEST)


def test_a_database_that_does_not_answer_is_one_line() -> None:
    with pytest.raises(CellFailed, match=r"^mysql: [^\n]*127\.0\.0\.1[^\n]*$"):
        MysqlWitness("mysql://nobody@127.0.0.1:1/x").expected(LATEST)
