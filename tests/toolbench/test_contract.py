"""Every runner speaks one contract, whatever its language: docs/adding-a-driver.md."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
import psycopg
import pytest

from databases import find
from race.errors import CellFailed
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_server import Databases, until
from toolbench import transport
from toolbench.check import Types, complaint
from toolbench.drivers import DRIVERS, FORMAT, LANGUAGES, LOOP, PREPARED, STATEMENTS, Tool
from toolbench.records import records
from toolbench.runner_process import RunnerProcess
from toolbench.reference import REFERENCES

SECONDS = 30.0
NAMES = [
    name
    for name, tool in DRIVERS.items()
    if tool.database == "postgres" and not tool.lacks("query")
]
OF = {
    language: [name for name, tool in DRIVERS.items() if tool.target == language]
    for language in LANGUAGES
}
"""Drivers of other languages."""

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


def operation(kind: str, sql: str = "", **more: Any) -> dict[str, Any]:
    """As a harness sends one."""
    least = {"name": kind, "kind": kind, "sql": sql, "args": [], "columns": [], "table": ""}
    return {**least, "records": [], **more}


SELECT = operation(
    "query",
    f"select {', '.join(f'{one} as {name}' for name, (_, one, _) in COLUMNS.items())} where 1 = $1",
    args=[1],
    columns=[[name, kind] for name, (kind, _, _) in COLUMNS.items()],
)
ONE = operation("query", "select 1 + 1 as two", name="one", columns=[["two", "int4"]])
INSERT = operation("query", "insert into contract values ($1, $2, $3)", args=[1, "a", 0.5])
WRITTEN = {
    "columns": [["id", "int4"], ["title", "text"], ["share", "float8"]],
    "table": "contract",
    "records": records(("int", "text", "float"), 5),
}
COPY = operation("copy", "copy contract (id, title, share) from stdin", **WRITTEN)
BATCH = operation("batch", INSERT["sql"], **WRITTEN)


@dataclass
class Runner:
    """A runner's process, and where its database is."""

    name: str
    runner: RunnerProcess
    address: Mapping[str, Any]

    @property
    def tool(self) -> Tool:
        return DRIVERS[self.name]

    def ask(self, does: str, **words: Any) -> dict[str, Any]:
        return self.runner.ask({"do": does, **words}, SECONDS)

    def open(self, **other: Any) -> dict[str, Any]:
        return self.ask("open", **{**opening(self.name, self.address), **other})

    def drive(self, name: str, seconds: float, concurrency: int) -> dict[str, Any]:
        return self.ask("drive", operation=name, seconds=seconds, concurrency=concurrency)


def opening(name: str, address: Mapping[str, Any], prepared: bool | None = None) -> dict[str, Any]:
    """The first question, at the driver's plainest levels."""
    levels = DRIVERS[name].levels
    plainest = {factor: of[0] for factor, of in levels.items()}
    if prepared is None:
        prepared = plainest.get(STATEMENTS) == PREPARED
    options = {"loop": plainest.get(LOOP, ""), "format": plainest.get(FORMAT, "")}
    return {"driver": name, "address": address, "options": {"prepared": prepared, **options}}


@pytest.fixture(params=NAMES)
def runner(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Runner]:
    with started(request.param, databases) as found:
        yield found


@contextmanager
def started(name: str, databases: Databases) -> Iterator[Runner]:
    tool = DRIVERS[name]
    if lacking := tool.lacking():
        absent(f"{name}: {lacking}")
    url = databases.hold(tool.database)
    runner = RunnerProcess(tool.command(), frozenset())
    try:
        yield Runner(name, runner, transport.sent(tool.database, find(tool.database).address(url)))
    finally:
        runner.child.end()


@pytest.fixture
def reference(databases: Databases) -> Iterator[psycopg.Connection]:
    with psycopg.connect(databases.hold("postgres"), autocommit=True) as connection:
        connection.execute("drop table if exists contract")
        connection.execute("create table contract (id int, title text, share float8)")
        yield connection


def written(reference: psycopg.Connection) -> tuple[Any, ...] | None:
    """What is in the table; it is empty afterwards."""
    found = reference.execute("select count(*), sum(id), sum(share), max(title) from contract")
    row = found.fetchone()
    reference.execute("truncate contract")
    return row


@pytest.mark.parametrize(
    ("runner", "statements"),
    [(name, level) for name in NAMES for level in DRIVERS[name].levels[STATEMENTS]],
    indirect=["runner"],
)
def test_every_type_is_what_the_driver_gives(runner: Runner, statements: str) -> None:
    prepared = statements == PREPARED
    assert runner.ask("open", **opening(runner.name, runner.address, prepared))["ready"] is True
    texts = [[text for _, _, text in COLUMNS.values()]]
    types = Types(REFERENCES[runner.tool.database].load().types, runner.tool.gives)
    right = types.rows(SELECT["columns"], texts)
    for _ in range(2):  # the second time the statement is known
        answer = runner.ask("check", operation=SELECT)
        assert complaint(runner.name, right, answer["rows"]) is None, answer
        assert answer["count"] == 1


def test_a_null_is_found_where_there_was_none(runner: Runner, reference: psycopg.Connection) -> None:
    runner.open()
    asked = operation("query", "select id, title from contract", columns=WRITTEN["columns"][:2])
    for title, right in (("a", ["text", "a"]), (None, ["null", None])):
        reference.execute("truncate contract")
        reference.execute("insert into contract values (1, %s, 0.5)", [title])
        assert runner.ask("check", operation=asked)["rows"] == [[["int", "1"], right]]
        assert runner.drive("query", 0.05, 2)["errors"] == {}


@pytest.mark.parametrize("runner", OF["golang"], indirect=True)
def test_rows_of_a_load_are_counted_in_go(runner: Runner, reference: psycopg.Connection) -> None:
    runner.open()
    asked = operation("query", "select id from contract", columns=WRITTEN["columns"][:1])
    assert runner.ask("check", operation=asked)["count"] == 0
    reference.execute(INSERT["sql"].replace("$1, $2, $3", "1, 'a', 0.5"))
    answer = runner.drive("query", 0.05, 1)
    assert answer["operations"] == 0
    assert list(answer["errors"]) == ["1 rows, and 0 when it was checked"]


def test_what_is_written_is_there_or_the_kind_is_refused(
    runner: Runner, reference: psycopg.Connection
) -> None:
    runner.open()
    one, five = (1, 1, 0.5, "a"), (5, 15, 7.5, "record 000005")
    for asked, right in ((INSERT, one), (COPY, five), (BATCH, five)):
        answer = runner.ask("check", operation={**asked, "name": asked["kind"]})
        if asked["kind"] in runner.tool.cannot:
            assert answer == {"unsupported": asked["kind"]}
        else:
            assert (answer["rows"], answer["count"]) == ([], right[0])
            assert written(reference) == right


def test_a_batch_is_one_transaction(runner: Runner, reference: psycopg.Connection) -> None:
    """Of three pages, where a driver sends pages: what fails in the last leaves nothing."""
    long = {**BATCH, "records": records(("int", "text", "float"), 250)}
    runner.open()
    reference.execute("alter table contract add constraint few check (id < 241)")
    refused(runner, "check", operation=long)
    assert written(reference) == (0, None, None, None)
    reference.execute("alter table contract drop constraint few")
    assert runner.ask("check", operation=long)["count"] == 250
    assert written(reference) == (250, 31375, 15687.5, "record 000250")


def test_a_load_is_as_long_and_as_wide_as_asked(
    runner: Runner, reference: psycopg.Connection
) -> None:
    before = connections(reference)
    runner.open()
    runner.ask("check", operation=ONE)
    answer = runner.drive("one", 0.4, 3)
    assert connections(reference) == before + 3
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
    # Three workers that always wait are seen waiting, all of the time but a little.
    assert latency["mean"] * answer["operations"] / 1e9 > 0.8 * 3 * 0.4
    assert 0 < answer["beside_ns"] < 1e9
    assert answer["late"] == 0
    runner.ask("check", operation=ONE)
    until(lambda: connections(reference) == before + 1, SECONDS, "who rests holds one connection")


def connections(reference: psycopg.Connection) -> int:
    """How many clients the database has."""
    found = reference.execute(
        "select count(*) from pg_stat_activity where backend_type = 'client backend'"
    )
    row = found.fetchone()
    assert row is not None
    return int(row[0])


def test_a_failure_is_an_answer_and_the_runner_goes_on(runner: Runner) -> None:
    wrong = operation("query", "select nothing from nowhere", columns=[["a", "int4"]])
    for does, words in (
        ("check", {"operation": ONE}),  # nothing is open
        ("open", {**opening(runner.name, runner.address), "driver": "none"}),
        ("open", opening(runner.name, {**runner.address, "path": "/nowhere"})),
        ("dance", {}),
    ):
        refused(runner, does, **words)
    runner.open()
    refused(runner, "check", operation=wrong)
    refused(runner, "drive", operation="unchecked", seconds=0.1, concurrency=1)
    assert runner.ask("check", operation=ONE)["count"] == 1


def refused(runner: Runner, does: str, **words: Any) -> None:
    """The answer is an error in a line."""
    with pytest.raises(CellFailed) as raised:
        runner.ask(does, **words)
    text = str(raised.value)
    assert text
    assert "\n" not in text
    assert len(text) <= 200
    assert runner.runner.child.running()


def test_operations_that_fail_are_counted(runner: Runner, reference: psycopg.Connection) -> None:
    runner.open()
    runner.ask("check", operation=INSERT)
    # Not seen before it is executed, wherever a statement is prepared.
    reference.execute("alter table contract add check (false) not valid")
    answer = runner.drive("query", 0.2, 2)
    assert (answer["operations"], answer["histogram"]) == (0, [])
    assert sum(answer["errors"].values()) >= 2
    assert any("contract" in error for error in answer["errors"])
    assert runner.ask("check", operation=ONE)["count"] == 1


def test_a_database_that_goes_away_ends_nothing_but_the_load(
    runner: Runner, databases: Databases
) -> None:
    runner.open()
    runner.ask("check", operation=ONE)
    with databases.down(runner.tool.database):
        assert runner.drive("one", 0.2, 1)["errors"]
        refused(runner, "drive", operation="one", seconds=0.1, concurrency=2)


@pytest.mark.parametrize("last", ["end", "EOF", "SIGTERM"])
def test_it_ends_when_it_is_told(runner: Runner, last: str, reference: psycopg.Connection) -> None:
    before = connections(reference)
    with subprocess.Popen(
        runner.tool.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first = {"do": "open", **opening(runner.name, runner.address)}
        process.stdin.write(json.dumps(first) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["ready"] is True
        if last == "SIGTERM":
            process.send_signal(signal.SIGTERM)
        elif last == "end":
            process.stdin.write('{"do": "end"}\n')
            process.stdin.flush()
        else:
            process.stdin.close()
        assert process.wait(SECONDS) == 0
        assert process.stdout.read() == ""
    until(lambda: connections(reference) == before, SECONDS, "a connection is still open")


def test_what_is_late_is_ended_in_the_database_too(
    databases: Databases, reference: psycopg.Connection
) -> None:
    """In Go and Node, all at once: it takes as long as a runner waits."""
    asked = operation(
        "query",
        "select pg_sleep(60.0 * count(*))::text as slept from contract",
        columns=[["slept", "text"]],
    )
    with ExitStack() as stack:
        before = connections(reference)
        names = [name for of in OF.values() for name in of]
        runners = [stack.enter_context(started(name, databases)) for name in names]
        for one in runners:
            one.open()
            one.ask("check", operation=asked)
        reference.execute("insert into contract values (1, 'a', 0.5)")
        with ThreadPoolExecutor(len(runners)) as pool:
            answers = list(pool.map(lambda one: one.drive("query", 0.1, 2), runners))
        for name, answer in zip(names, answers, strict=True):
            assert (answer["late"], answer["operations"]) == (2, 0), name
            assert answer["errors"] == {"not answered within 5 s": 2}, name
        until(lambda: connections(reference) == before, 2.0, "a connection is still open")
        assert all(one.ask("check", operation=ONE)["count"] == 1 for one in runners)


def test_a_batch_that_is_late_ends_no_runner(
    databases: Databases, reference: psycopg.Connection
) -> None:
    """In the middle of it, with more to send: Postgres.js writes on where nobody can catch it."""
    with ExitStack() as stack:
        names = [name for of in OF.values() for name in of]
        runners = [stack.enter_context(started(name, databases)) for name in names]
        for one in runners:
            one.open()
            one.ask("check", operation=BATCH)
            one.drive("batch", 0.1, 2)  # statements are prepared before, which would wait too
        with reference.transaction(), ThreadPoolExecutor(len(runners)) as pool:
            reference.execute("lock table contract in access exclusive mode")
            answers = list(pool.map(lambda one: one.drive("batch", 0.1, 2), runners))
        for name, answer in zip(names, answers, strict=True):
            assert (answer["late"], answer["operations"]) == (2, 0), name
        assert all(one.ask("check", operation=ONE)["count"] == 1 for one in runners)


TAKES = 5


@pytest.mark.parametrize("language", sorted(OF))
def test_the_clock_and_the_notes_cost_less_than_a_microsecond(language: str) -> None:
    """On a driver that does nothing, in the best of some takes: this machine may be doing something
    else. CPU time, as the kernel counts it: in hundredths of a second.
    """
    name = OF[language][0]
    if lacking := DRIVERS[name].lacking():
        absent(f"{name}: {lacking}")
    runner = RunnerProcess(DRIVERS[name].command(), frozenset())
    runner = Runner(name, runner, {"host": "", "port": 0})
    spent = psutil.Process(runner.child.pid)
    costs = []
    try:
        runner.open(driver="nothing")
        runner.ask("check", operation=ONE)
        runner.drive("one", 0.2, 1)  # compiles, in Node
        for _ in range(TAKES):
            before = sum(spent.cpu_times()[:2])
            answer = runner.drive("one", 0.3, 1)
            costs.append((sum(spent.cpu_times()[:2]) - before) / answer["operations"])
    finally:
        runner.child.end()
    assert 0 < min(costs) < 1e-6
