"""The requests of Tarantool's operations."""

from __future__ import annotations

from typing import Any

import pytest

from data_interface.tarantool.layout import BY_RATING, DESCENDING, SESSIONS, STICKERS
from race.plan.read import load
from toolbench.driver import Operation, Unsupported
from toolbench.operation import operations
from toolbench.tarantool.requests import request

NAMES = [name for name, one in operations().items() if one.database == "tarantool"]
TOOLS = ["asynctnt", "aiotarantool", "tarantool"]


class FakeConnection:
    """Returns what it is asked for."""

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
    assert request(FakeConnection(), operation)() == asked


def test_another_kind_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="copy"):
        request(FakeConnection(), Operation("x", "copy"))


def test_the_scenarios_name_what_there_is() -> None:
    alone, behind = load("toolbench-tarantool"), load("toolbench-tarantool-pages")
    assert sorted(alone.tasks) == sorted(NAMES)
    assert list(alone.contenders) == TOOLS
    for scenario in (alone, behind):
        found = scenario.load.closed_loads(pipelines=False)
        assert [one.connections for one in found] == [1, 10, 100]
        assert all(one.fixed for one in found)
