"""Tarantool: each operation on each driver, and its reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from race.errors import CellFailed
from race.saved.model import Contender
from tests.live.toolbench.conftest import does_each, plainest, scenario, started
from toolbench.operation import operations
from toolbench.shared import Shared
from toolbench.tarantool.reference import TarantoolReference

ALL = scenario("tarantool")


@pytest.mark.parametrize("contender", plainest("tarantool"), ids=lambda one: one.label)
def test_each_operation_on_each_driver(
    prepared: Callable[[str], Shared], contender: Contender
) -> None:
    with started(prepared("tarantool"), contender) as one:
        does_each(one, ALL)
        assert one.facts("tarantool-nine") == {"rows": 9}


@pytest.fixture
def reference(prepared: Callable[[str], Shared]) -> Iterator[TarantoolReference]:
    found = TarantoolReference(prepared("tarantool").databases.url("tarantool") or "")
    yield found
    found.close()


def test_the_reference_asks_in_lua(reference: TarantoolReference) -> None:
    for name in ALL.tasks:
        one = operations()[name]
        reference.prepare(one)
        reference.run(one.reset)
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
