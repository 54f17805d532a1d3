"""Tarantool's drivers: what each is asked for, and every operation on every driver once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_interface.tarantool.layout import BY_RATING, DESCENDING, SESSIONS, STICKERS
from race.errors import CellFailed
from race.plan.read import load
from tests.conftest import absent
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import Databases as RunDatabases
from toolbench.driver import Operation, Unsupported
from toolbench.drivers import DRIVERS
from toolbench.operation import operations
from toolbench.tarantool.requests import request
from toolbench.tarantool.reference import TarantoolReference

NAMES = [name for name, one in operations().items() if one.database == "tarantool"]
TOOLS = ["asynctnt", "aiotarantool", "tarantool"]


class Connection:
    """Says what it was asked."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **options: (name, arguments, options)


@pytest.mark.parametrize(
    ("operation", "asked"),
    [
        (
            Operation("nine", "select", table="stickers", args=(9, "rating", "LE")),
            ("select", (STICKERS, []), {"limit": 9, "index": BY_RATING, "iterator": DESCENDING}),
        ),
        (
            Operation("any", "select", table="stickers", args=(9,)),
            ("select", (STICKERS, []), {"limit": 9}),
        ),
        (
            Operation("visit", "upsert", table="sessions", args=(["x", 1], [["+", 1, 1]])),
            ("upsert", (SESSIONS, ["x", 1], [["+", 1, 1]]), {}),
        ),
        (
            Operation("sum", "eval", sql="return ...", args=(1, 2)),
            ("eval", ("return ...", [1, 2]), {}),
        ),
        (Operation("how many", "call", sql="count"), ("call", ("count", []), {})),
        (Operation("ping", "ping"), ("ping", (), {})),
    ],
    ids=lambda value: value.name if isinstance(value, Operation) else "",
)
def test_an_operation_is_one_request(operation: Operation, asked: tuple[Any, ...]) -> None:
    assert request(Connection(), operation)() == asked


def test_another_kind_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="copy"):
        request(Connection(), Operation("x", "copy"))


@pytest.fixture
def reference(databases: RunDatabases) -> Iterator[TarantoolReference]:
    found = TarantoolReference(databases.hold("tarantool"))
    yield found
    found.close()


def test_what_is_right_is_asked_in_lua(reference: TarantoolReference) -> None:
    for name in NAMES:
        one = operations()[name]
        reference.prepare(one)
        reference.reset(one)
        if one.writes:
            with pytest.raises(CellFailed, match=r"^tarantool: "):
                reference.after(one)
            continue
        rows = reference.expected(one)
        assert len(rows) == (one.rows if one.columns else 0)
        for row in rows:
            assert len(row) == len(one.columns)
            assert all(isinstance(text, str) for text in row)
    best = [int(row[3] or 0) for row in reference.expected(operations()["tarantool-nine-best"])]
    assert best == sorted(best, reverse=True)
    assert reference.expected(operations()["tarantool-eval"]) == [["2"]]


def test_a_tarantool_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    lost = TarantoolReference(f"tarantool://{tmp_path}/nobody.sock")
    with pytest.raises(CellFailed, match=r"^tarantool: ") as caught:
        lost.expected(operations()["tarantool-eval"])
    assert "\n" not in str(caught.value)
    lost.close()


def test_every_operation_runs_on_every_driver(tmp_path: Path, databases: RunDatabases) -> None:
    for name in TOOLS:
        if lacking := DRIVERS[name].lacking():
            absent(f"{name}: {lacking}")
    path = tmp_path / "small.toml"
    path.write_text(
        'title = "Small"\ndiscipline = "tools"\nbaseline = "asynctnt"\nrounds = 1\n'
        f"drivers = {TOOLS}\noperations = {NAMES}\n".replace("'", '"')
        + "[load]\nconcurrency = [3]\nduration_s = 0.2\n"
        + "[warmup]\nwindow_s = 0.1\ncalibration_s = 0.1\nwindows = 1\n"
        + LIMITS
    )
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    ran = {(cell.label, cell.task) for cell in saved.cells if "A/A" not in cell.label}
    assert ran == {(tool, name) for tool in TOOLS for name in NAMES}
    for cell in saved.cells:
        assert cell.status == "ok", (cell.label, cell.task, cell.reason)
        assert cell.facts == {"rows": operations()[cell.task].rows}
        assert cell.count
    report = (saved.folder / "report.html").read_text()
    assert 'id="distributions"' in report
    assert "The nine best, 3 at once" in report


def test_the_scenarios_name_what_there_is() -> None:
    alone, behind = load("toolbench-tarantool"), load("toolbench-tarantool-pages")
    assert sorted(alone.tasks) == sorted(NAMES)
    assert list(alone.contenders) == TOOLS
    for scenario in (alone, behind):
        found = scenario.load.closed_loads(pipelines=False)
        assert [one.connections for one in found] == [1, 10, 100]
        assert all(one.fixed for one in found)
