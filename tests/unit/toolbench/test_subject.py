"""The check of a driver's results, and the measurement of a load, with a runner that is a fake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from race.errors import CellFailed
from race.saved.model import Contender, Load, Work
from race.web.databases import Databases
from toolbench.check import Texts
from toolbench.operation import OperationSpec
from toolbench.shared import Shared
from toolbench.subject import DriverSubject

INTS = OperationSpec(
    name="ints", title="Ints", text="Three.", kind="query", columns=(("i", "int4"),), rows=3
)
WRITES = OperationSpec(
    name="puts",
    title="Puts",
    text="Three.",
    kind="batch",
    rows=3,
    after="how many",
    after_rows=((3, "a"),),
    reset=("nothing",),
)
OPERATIONS = {"ints": INTS, "puts": WRITES}
RIGHT: list[Any] = [[["int", "2"]], [["int", "3"]], [["int", "4"]]]
LOAD = {
    "operations": 3,
    "seconds": 0.5,
    "errors": {},
    "latency_ns": {"min": 1e6, "mean": 2e6, "max": 3e6, "deviation": 1e6},
    "histogram": [[1000.0, 1], [2000.0, 1], [3000.0, 1]],
    "beside_ns": 5,
}
DRIVE = Work("ints", Load("runner", 1, duration_s=0.5, fixed=True))


class FakeChild:
    pid = 1

    def __init__(self) -> None:
        self.runs = True

    def running(self) -> bool:
        return self.runs

    def end(self) -> None:
        self.runs = False


class FakeRunner:
    """Answers a check with rows that the test sets, a load with LOAD."""

    def __init__(self, checked: Mapping[str, Any], late: int = 0) -> None:
        self.child = FakeChild()
        self.checked, self.late = checked, late

    def ask(self, question: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        if "error" in self.checked:
            raise CellFailed(self.checked["error"])
        return self.checked if question["do"] == "check" else {**LOAD, "late": self.late}


@dataclass
class FakeReference:
    """A `toolbench.reference.Reference`."""

    texts: Texts = (("2",), ("3",), ("4",))
    left: Texts = (("3", "a"),)
    resets: int = 0
    types: Mapping[str, str] = field(default_factory=lambda: {"int4": "int"})

    def prepare(self, operation: OperationSpec) -> None: ...

    def run(self, statements: Sequence[str]) -> None:
        self.resets += len(statements)

    def expected(self, operation: OperationSpec) -> Texts:
        return self.texts

    def after(self, operation: OperationSpec) -> Texts:
        return self.left

    def close(self) -> None: ...


def started(
    rows: Any = RIGHT, reference: FakeReference | None = None, late: int = 0, **other: Any
) -> DriverSubject:
    shared = Shared(Databases(), {}, {"postgres": reference or FakeReference()}, OPERATIONS)
    contender = Contender(label="asyncpg", name="asyncpg", factors={})
    layout = {party: frozenset[int]() for party in ("driver", "database")}
    runner: Any = FakeRunner({"rows": rows, "count": 3, **other}, late)
    return DriverSubject(contender, shared, layout, runner)


def test_a_driver_that_is_right_is_driven() -> None:
    one = started()
    one.check("ints")
    assert one.facts("ints") == {"rows": 3}
    sample = one.drive(DRIVE)
    assert (sample.count, sample.seconds, sample.failed) == (3, 0.5, 0)
    assert sample.latency_us["mean"] == 2000
    assert sample.latency_us["p50"] == 2000
    assert sample.latency_us["p99"] == 3000
    assert sample.busy_connections == pytest.approx(3 * 0.002 / 0.5)
    assert sample.beside_ns == {"driver": 5}
    assert one.alive()
    assert list(one.parties()) == ["driver", "database"]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([*RIGHT[:2], [["text", "4"]]], "row 3, column 1 is text '4' where int 4 is right"),
        (RIGHT[:2], "2 rows where 3 are right"),
        ([*RIGHT[:2], [["array", 4]]], "row 3, column 1 is no pair of a tag and a text, but"),
    ],
)
def test_a_wrong_result_is_found_before_anything_is_timed(rows: Any, complaint: str) -> None:
    one = started(rows)
    with pytest.raises(CellFailed) as raised:
        one.check("ints")
    assert str(raised.value).startswith(f"asyncpg, ints: {complaint}")
    assert one.alive()


def test_a_kind_without_a_call_and_an_answer_of_another_form_are_one_line() -> None:
    with pytest.raises(CellFailed, match="it has nothing for query, which its line"):
        started(unsupported="query").check("ints")
    with pytest.raises(CellFailed, match="driver gave no result: "):
        started("many").check("ints")


def test_a_runner_that_fails_to_answer_is_started_again() -> None:
    one = started(error="it is silent")
    with pytest.raises(CellFailed, match="it is silent"):
        one.check("ints")
    assert not one.alive()


def test_a_runner_that_left_an_operation_under_way_does_not_rest_beside_others() -> None:
    one = started(late=2)
    assert one.drive(DRIVE).count == 3
    assert not one.alive()
    assert one.runner.child.running()
    one.pause()
    assert not one.runner.child.running()


def test_a_write_is_right_if_it_leaves_the_right_rows() -> None:
    reference = FakeReference()
    one = started(reference=reference)
    one.check("puts")
    one.check("puts")
    assert reference.resets == 2
    assert one.facts("puts") == {"rows": 3}
    reference.left = (("2", "a"),)
    with pytest.raises(CellFailed) as raised:
        one.check("puts")
    text = "asyncpg, puts: it left ['2', 'a'] in row 1 where ['3', 'a'] is right"
    assert str(raised.value) == text


def test_a_database_that_lacks_rows_or_changes_them_is_noticed() -> None:
    with pytest.raises(CellFailed, match="the database has 1 rows, not 3"):
        started(reference=FakeReference(texts=(("2",),))).check("ints")
    reference = FakeReference()
    one = started(reference=reference)
    one.check("ints")
    reference.texts = (("2",), ("3",), ("5",))
    with pytest.raises(CellFailed, match="is int 4 where int 5 is right"):
        one.check("ints")
