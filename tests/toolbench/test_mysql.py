"""MySQL in the toolbench: its orders, the harness's own connection, each driver on each operation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from databases import find
from race.errors import CellFailed
from tests.conftest import absent
from tests.support.site_server import Databases
from toolbench.check import Types, complaint
from toolbench.drivers import DRIVERS, PREPARED, STATEMENTS
from toolbench.mysql import table, witness
from toolbench.mysql.witness import MysqlWitness
from toolbench.operation import operations
from toolbench.talk import Talk
from toolbench.transport import sent

NAME = "mysql"
SECONDS = 30.0
OPERATIONS = {name: one for name, one in operations().items() if one.database == NAME}
CONTENDERS = [
    (name, prepared)
    for name, tool in DRIVERS.items()
    if tool.database == NAME
    for prepared in sorted({False, PREPARED in tool.levels[STATEMENTS]})
]


@pytest.fixture(scope="module")
def url(databases: Databases) -> str:
    """The run's private server."""
    if missing := find(NAME).missing():
        absent(missing)
    return databases.hold(NAME)


@pytest.fixture(scope="module")
def seen(url: str) -> Iterator[MysqlWitness]:
    """The database, with what all operations need."""
    made = MysqlWitness(url)
    for one in OPERATIONS.values():
        made.prepare(one)
    yield made
    made.close()


@contextmanager
def runner(driver: str, prepared: bool, url: str) -> Iterator[Talk]:
    """A runner with a connection."""
    if lacking := DRIVERS[driver].lacking():
        absent(f"{driver}: {lacking}")
    talk = Talk(DRIVERS[driver].command(), frozenset())
    try:
        question = {
            "do": "open",
            "driver": driver,
            "address": sent(NAME, find(NAME).address(url)),
            "options": {"prepared": prepared, "loop": "asyncio", "format": ""},
        }
        assert talk.ask(question, SECONDS) == {"ready": True}
        yield talk
    finally:
        talk.child.end()


def test_the_orders_are_the_same_everywhere() -> None:
    found = table.orders()
    assert len(found) == table.ORDERS
    digest = hashlib.sha256(repr([tuple(one) for one in found]).encode()).hexdigest()
    assert digest.startswith("to be filled in")


def test_the_orders_are_realistic() -> None:
    """Some of what may be missing is; a customer has some fifty of them."""
    found = table.orders()
    for name in ("packed", "wanted", "note"):
        missing = sum(getattr(one, name) is None for one in found)
        assert 0.05 < missing / len(found) < 0.25, name
    assert 20 < sum(one.customer == 77 for one in found) < 90
    assert max(len(one.note or "") for one in found) > 150


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("driver", "prepared"), CONTENDERS)
def test_a_driver_does_it_right(
    driver: str, prepared: bool, operation: str, url: str, seen: MysqlWitness
) -> None:
    one, tool = OPERATIONS[operation], DRIVERS[driver]
    with runner(driver, prepared, url) as talk:
        seen.reset(one)
        answer = talk.ask({"do": "check", "operation": one.sent()}, SECONDS)
        if one.kind in tool.cannot:
            assert answer == {"unsupported": one.kind}
            return
        assert answer["count"] == one.rows
        if one.writes:
            assert seen.after(one) == [[str(value) for value in row] for row in one.after_rows]
        else:
            right = Types(seen.types, tool.gives).rows(one.columns, seen.expected(one))
            assert complaint(driver, right, answer["rows"]) is None
        question = {"do": "drive", "operation": operation, "seconds": 0.2, "concurrency": 3}
        drove = talk.ask(question, SECONDS)
        assert not drove["errors"], drove["errors"]
        assert drove["operations"] >= 3


def test_a_table_of_another_formula_is_made_anew(seen: MysqlWitness) -> None:
    (latest,) = (one for one in OPERATIONS.values() if one.name == "orders-latest")
    right = seen.expected(latest)
    seen._run(f"DELETE FROM {table.TABLE} WHERE customer = 77")  # noqa: S608  a constant
    seen.prepare(latest)
    assert seen.expected(latest) == []
    seen._run(f"ALTER TABLE {table.TABLE} COMMENT = 'an older one'")
    seen.prepare(latest)
    assert seen.expected(latest) == right


def test_a_database_that_keeps_something_else_is_noticed(
    seen: MysqlWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    (latest,) = (one for one in OPERATIONS.values() if one.name == "orders-latest")
    monkeypatch.setattr(witness, "VERSION", "another")
    monkeypatch.setattr(witness, "tagged", lambda value: ["text", "something"])
    line = r"^MariaDB, the orders: row 1, column 1 is int 1 where text 'something' is right$"
    with pytest.raises(CellFailed, match=line):
        seen.prepare(latest)


def test_a_database_that_does_not_answer_is_one_line() -> None:
    with pytest.raises(CellFailed, match=r"^mysql: [^\n]*127\.0\.0\.1[^\n]*$"):
        MysqlWitness("mysql://nobody@127.0.0.1:1/x").after(OPERATIONS["orders-insert"])
