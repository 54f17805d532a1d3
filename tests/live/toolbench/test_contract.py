"""Every runner speaks one protocol, whatever its language: docs/adding-a-driver.md."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest

from tests.live.toolbench.runners import (
    FOREIGN,
    LAST,
    NAMES,
    ONE,
    ONE_OF_EACH,
    SECONDS,
    Runner,
    connections,
    ends,
    operation,
    started,
)
from tests.support.site_server import Databases, until
from toolbench.check import Types, complaint
from toolbench.operation import records
from toolbench.postgres.reference import TYPES
from toolbench.tool import PREPARED, STATEMENTS

COLUMNS = {
    "small": ("int4", "7::int4", "7"),
    "large": ("int8", "8::int8", "8"),
    "words": ("text", "'a b'::text", "a b"),
    "truth": ("bool", "true", "true"),
    "octets": ("bytea", "'\\x00ff'::bytea", "\\x00ff"),
    "part": ("float8", "1.5::float8", "1.5"),
    "letter": ("char", "'c'::\"char\"", "c"),
    "called": ("name", "'n'::name", "n"),
    "object": ("oid", "4::oid", "4"),
    "list": ("int4[]", "array[1, 2]::int4[]", "{1,2}"),
    "none": ("text", "null::text", None),
}
"""Name to type, expression and text of a column."""
SELECT = operation(
    "query",
    f"select {', '.join(f'{one} as {name}' for name, (_, one, _) in COLUMNS.items())} where 1 = $1",
    name="select",
    args=[1],
    columns=[[name, kind] for name, (kind, _, _) in COLUMNS.items()],
)
INSERT = operation("query", "insert into contract values ($1, $2, $3)", args=[1, "a", 0.5])
WRITTEN = {
    "columns": [["id", "int4"], ["title", "text"], ["share", "float8"]],
    "table": "contract",
    "records": records(("int", "text", "float"), 5),
}
COPY = operation("copy", "copy contract (id, title, share) from stdin", **WRITTEN)
BATCH = operation("batch", INSERT["sql"], **WRITTEN)


@pytest.fixture(scope="module")
def process(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Runner]:
    """The process of a driver, which all of its tests here share."""
    with started(request.param, databases) as found:
        yield found


@pytest.fixture
def runner(process: Runner) -> Runner:
    """A driver with one connection that nothing is bound to yet."""
    assert process.open() == {"ready": True}
    return process


each_driver = pytest.mark.parametrize("process", NAMES, indirect=True, scope="module")


@pytest.fixture
def reference(databases: Databases) -> Iterator[psycopg.Connection]:
    """A connection of the test's own, with an empty table `contract`."""
    with psycopg.connect(databases.hold("postgres"), autocommit=True) as connection:
        connection.execute("drop table if exists contract")
        connection.execute("create table contract (id int, title text, share float8)")
        yield connection


def written(reference: psycopg.Connection) -> tuple[Any, ...] | None:
    """Return what is in the table, and empty it."""
    found = reference.execute("select count(*), sum(id), sum(share), max(title) from contract")
    row = found.fetchone()
    reference.execute("truncate contract")
    return row


@each_driver
def test_every_type_is_what_the_driver_gives(process: Runner) -> None:
    texts = [[text for _, _, text in COLUMNS.values()]]
    right = Types(TYPES, process.tool.gives).rows(SELECT["columns"], texts)
    for statements in process.tool.levels[STATEMENTS]:
        process.open(prepared=statements == PREPARED)
        for _ in range(2):  # the second time the statement is known
            answer = process.check(SELECT)
            assert complaint(process.name, right, answer["rows"]) is None, answer
            assert answer["count"] == 1


@each_driver
def test_a_null_is_found_where_there_was_none(
    runner: Runner, reference: psycopg.Connection
) -> None:
    asked = operation("query", "select id, title from contract", columns=WRITTEN["columns"][:2])
    for title, right in (("a", ["text", "a"]), (None, ["null", None])):
        reference.execute("truncate contract")
        reference.execute("insert into contract values (1, %s, 0.5)", [title])
        assert runner.check(asked)["rows"] == [[["int", "1"], right]]
        assert runner.drive("query", 0.05, 2)["errors"] == {}


@each_driver
def test_what_is_written_is_there_or_the_kind_is_refused(
    runner: Runner, reference: psycopg.Connection
) -> None:
    one, five = (1, 1, 0.5, "a"), (5, 15, 7.5, "record 000005")
    for asked, right in ((INSERT, one), (COPY, five), (BATCH, five)):
        answer = runner.check({**asked, "name": asked["kind"]})
        if asked["kind"] in runner.tool.cannot:
            assert answer == {"unsupported": asked["kind"]}
        else:
            assert (answer["rows"], answer["count"]) == ([], right[0])
            assert written(reference) == right


@each_driver
def test_a_batch_is_one_transaction(runner: Runner, reference: psycopg.Connection) -> None:
    """Some drivers send it in three pages: an error in the last one leaves nothing."""
    long = {**BATCH, "records": records(("int", "text", "float"), 250)}
    reference.execute("alter table contract add constraint few check (id < 241)")
    runner.refuses("check", operation=long)
    assert written(reference) == (0, None, None, None)
    reference.execute("alter table contract drop constraint few")
    assert runner.check(long)["count"] == 250
    assert written(reference) == (250, 31375, 15687.5, "record 000250")


@each_driver
def test_a_load_is_as_long_and_as_wide_as_asked(
    runner: Runner, reference: psycopg.Connection
) -> None:
    runner.check(ONE)
    before = connections(reference)
    answer = runner.drive("one", 0.4, 3)
    assert len(connections(reference) - before) == 2
    latency = answer["latency_ns"]
    assert answer["errors"] == {}
    assert 0.4 <= answer["seconds"] < 2
    assert answer["operations"] == sum(count for _, count in answer["histogram"]) > 3
    assert 0 < latency["min"] <= latency["mean"] <= latency["max"] < 1e9
    assert 0 < latency["deviation"] <= (latency["max"] - latency["min"]) / 2 * 1.001
    bounds = [bound for bound, _ in answer["histogram"]]
    assert bounds == sorted(set(bounds))
    assert bounds[0] * 1000 == pytest.approx(latency["min"], rel=0.011)
    assert bounds[-1] * 1000 == pytest.approx(latency["max"], rel=0.011)
    # Three workers that always wait are seen waiting, nearly all of the time.
    assert latency["mean"] * answer["operations"] / 1e9 > 0.8 * 3 * 0.4
    assert 0 < answer["beside_ns"] < 1e9
    assert answer["late"] == 0
    runner.check(ONE)
    until(lambda: connections(reference) <= before, SECONDS, "more than one is open")


@each_driver
def test_an_error_is_an_answer_and_the_runner_goes_on(
    process: Runner, reference: psycopg.Connection
) -> None:
    wrong = operation("query", "select nothing from nowhere", columns=[["a", "int4"]])
    address = {**process.address, "path": "/nowhere"}
    process.refuses("open", **{**process.opening(), "driver": "none"})
    process.refuses("open", **{**process.opening(), "address": address})
    process.refuses("check", operation=ONE)  # nothing is open now
    process.refuses("dance")
    process.open()
    process.refuses("check", operation=wrong)
    process.refuses("drive", operation="unchecked", seconds=0.1, concurrency=1, overtime=1)
    # A load counts its errors; the database refuses the statement when it is executed.
    process.check(INSERT)
    reference.execute("alter table contract add check (false) not valid")
    answer = process.drive("query", 0.2, 2)
    assert (answer["operations"], answer["histogram"]) == (0, [])
    assert sum(answer["errors"].values()) >= 2
    assert any("contract" in error for error in answer["errors"])
    assert process.check(ONE)["count"] == 1


@pytest.mark.parametrize("process", FOREIGN["golang"], indirect=True, scope="module")
def test_rows_of_a_load_are_counted_in_go(runner: Runner, reference: psycopg.Connection) -> None:
    asked = operation("query", "select id from contract", columns=WRITTEN["columns"][:1])
    assert runner.check(asked)["count"] == 0
    reference.execute(INSERT["sql"].replace("$1, $2, $3", "1, 'a', 0.5"))
    answer = runner.drive("query", 0.05, 1)
    assert answer["operations"] == 0
    assert list(answer["errors"]) == ["1 rows, and 0 when it was checked"]


@contextmanager
def all_started(names: list[str], databases: Databases) -> Iterator[list[Runner]]:
    """Open the runners of several drivers, which a test then asks all at once."""
    with ExitStack() as stack:
        found = [stack.enter_context(started(name, databases)) for name in names]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda one: one.open(), found))
        yield found


def test_a_database_that_goes_away_ends_no_runner(databases: Databases) -> None:
    with all_started(NAMES, databases) as runners:
        for one in runners:
            one.check(ONE)
        with databases.down("postgres"):
            for one in runners:
                assert one.drive("one", 0.2, 1)["errors"], one.name
                one.refuses("drive", operation="one", seconds=0.1, concurrency=2, overtime=1)


@pytest.mark.parametrize("last", LAST)
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_runner_ends_when_it_is_told_to(
    name: str, last: str, databases: Databases, reference: psycopg.Connection
) -> None:
    ends(name, last, databases, reference)


def test_an_operation_that_is_late_is_ended_in_the_database_too(
    databases: Databases, reference: psycopg.Connection
) -> None:
    """The runners of Go and Node do this; in the middle of a batch it ends no runner either.

    Postgres.js goes on writing to the connection, where nobody can catch the error.
    """
    slow = operation(
        "query",
        "select pg_sleep(60.0 * count(*))::text as slept from contract",
        columns=[["slept", "text"]],
    )
    before = connections(reference)
    names = [name for drivers in FOREIGN.values() for name in drivers]
    with all_started(names, databases) as runners, ThreadPoolExecutor(len(names)) as pool:

        def drive(name: str) -> list[dict[str, Any]]:
            return list(pool.map(lambda one: one.drive(name, 0.1, 2, overtime=0.3), runners))

        for one in runners:
            one.check(BATCH)
            one.drive("batch", 0.1, 2)  # prepares statements, which would wait for the lock, too
        with reference.transaction():
            reference.execute("lock table contract in access exclusive mode")
            for name, answer in zip(names, drive("batch"), strict=True):
                assert (answer["late"], answer["operations"]) == (2, 0), name
        reference.execute("truncate contract")
        for one in runners:
            one.check(slow)
        reference.execute("insert into contract values (1, 'a', 0.5)")
        for name, answer in zip(names, drive("query"), strict=True):
            assert (answer["late"], answer["operations"]) == (2, 0), name
            assert answer["errors"] == {"not answered within 0.3 s": 2}, name
        until(lambda: connections(reference) <= before, 2.0, "a connection is still open")
        assert all(one.check(ONE)["count"] == 1 for one in runners)
