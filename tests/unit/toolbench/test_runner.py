"""The runner of Python's drivers, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.unit.toolbench import fake_driver
from toolbench.drivers import DRIVERS
from toolbench.runner import histogram, workers
from toolbench.runner.session import DriverSession
from toolbench.runner.values import decode, encode
from toolbench.runner.workers import LoadNotes, TimedWorker
from toolbench.tool import Tool

KINDS = ("Asynchronous", "Blocking", "SharedConnection")


class FakeSession:
    """A session with a fake driver."""

    def __init__(self, kind: str, loop: str) -> None:
        self.session, self.kind, self.loop = DriverSession(), kind, loop

    def ask(self, does: str, **words: Any) -> dict[str, Any]:
        answer = self.session.answer(json.dumps({"do": does, **words}))
        assert answer is not None
        decoded: dict[str, Any] = json.loads(json.dumps(answer))
        return decoded

    def open(self, database: str = "here") -> dict[str, Any]:
        address = {"host": "h", "port": 1, "path": None, "user": None, "password": None}
        options = {"prepared": True, "loop": self.loop, "format": "text"}
        return self.ask(
            "open", driver=self.kind, address={**address, "name": database}, options=options
        )

    def check(self, kind: str, **more: Any) -> dict[str, Any]:
        least = {"name": kind, "kind": kind, "sql": "", "args": [], "columns": [], "table": ""}
        return self.ask("check", operation={**least, "records": [], **more})

    def drive(self, name: str, **other: float) -> dict[str, Any]:
        words = {"seconds": 0.02, "concurrency": 2, "overtime": 5.0, **other}
        return self.ask("drive", operation=name, **words)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FakeSession]]:
    """Make sessions with the fake drivers, and see that they close their connections."""
    made: list[FakeSession] = []
    for kind in KINDS:
        monkeypatch.setitem(DRIVERS, kind, Tool(f"{fake_driver.__name__}:{kind}"))

    def make(kind: str, loop: str = "asyncio") -> FakeSession:
        made.append(FakeSession(kind, loop))
        return made[-1]

    yield make
    for one in made:
        one.session.close()
    assert not fake_driver.open_now


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_has_the_tag_of_its_type(
    session: Callable[..., FakeSession], kind: str
) -> None:
    one = session(kind)
    assert one.open() == {"ready": True}
    answer = one.check("rows", args=[7, {"bytes": "ff"}])
    assert answer["count"] == 3
    assert answer["rows"] == [
        [
            *(["int", "1"], ["bool", "true"], ["text", "a"], ["bytes", "00ff"], ["float", "1.5"]),
            ["null", None],
        ],
        [
            ["decimal", "1.50"],
            ["datetime", "2024-01-02T03:04:05"],
            ["array", [["int", "1"], ["array", [["int", "2"]]]]],
            ["memoryview", "01"],
            ["json", '{"a": 1}'],
            ["array", []],
        ],
        [["int", "7"], ["bytes", "ff"]],
    ]


def test_a_type_without_a_tag_has_its_own_name_and_json_stays_json() -> None:
    assert encode(range(2)) == ["range", "range(0, 2)"]
    assert decode({"a": 1}) == {"a": 1}
    assert decode([{"bytes": "00"}, 1]) == [b"\x00", 1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_check_needs_one_connection_and_a_load_one_for_each_worker(
    session: Callable[..., FakeSession], kind: str
) -> None:
    one = session(kind)
    one.open()
    assert len(fake_driver.open_now) == 1
    assert one.check("nothing", records=[[1], [2]]) == {"rows": [], "count": 2}
    answer = one.drive("nothing", concurrency=3)
    assert answer["operations"] == sum(count for _, count in answer["histogram"]) > 3
    assert answer["errors"] == {}
    assert 0.02 <= answer["seconds"] < 5
    assert answer["beside_ns"] >= 0
    assert len(fake_driver.open_now) == (1 if kind == "SharedConnection" else 3)
    one.check("rows")
    assert len(fake_driver.open_now) == 1
    assert one.drive("nothing")["operations"] > 0


def test_uvloop_drives_as_well(session: Callable[..., FakeSession]) -> None:
    one = session("Asynchronous", "uvloop")
    one.open()
    one.check("nothing")
    assert one.drive("nothing")["operations"] > 0
    assert "uvloop" in type(one.session._loop).__module__


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_an_answer_of_one_line_and_the_runner_goes_on(
    session: Callable[..., FakeSession], kind: str
) -> None:
    one = session(kind)
    assert one.check("rows") == {"error": "ValueError: nothing is open"}
    assert one.open("gone") == {"error": "ConnectionError: nobody answers"}
    assert one.open() == {"ready": True}
    assert one.check("fails") == {"error": "LookupError: first line second line"}
    assert one.check("copy") == {"unsupported": "copy"}
    assert one.ask("dance") == {"error": "ValueError: unknown question 'dance'"}
    assert one.drive("rows") == {"error": "ValueError: operation 'rows' was not checked"}
    assert one.session.answer("no JSON") == {
        "error": "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
    }
    assert one.check("nothing")["count"] == 1
    assert one.session.answer('{"do": "end"}') is None


@pytest.mark.parametrize("kind", KINDS)
def test_operations_that_fail_are_counted_as_errors(
    session: Callable[..., FakeSession], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MOST_FAULTS", 5)
    one = session(kind)
    one.open()
    one.check("fails")
    answer = one.drive("fails", seconds=5)
    assert answer["operations"] == 0
    assert answer["histogram"] == []
    assert answer["errors"] == {"LookupError: first line second line": 10}
    assert answer["seconds"] < 4


@pytest.mark.parametrize("kind", ["Asynchronous", "Blocking"])
def test_operations_that_hang_are_waited_for_no_longer_than_the_overtime(
    session: Callable[..., FakeSession], kind: str
) -> None:
    one = session(kind)
    one.open()
    one.check("hangs")
    answer = one.drive("hangs", overtime=0.05)
    assert answer["errors"] == {"not answered within 0.05 s": 2}
    assert answer["late"] == 2
    fake_driver.open_now.clear()  # the pool abandons connections that are in use


def worker(marks: list[int], *failed: int) -> TimedWorker:
    one = TimedWorker(lambda: None)
    one.marks = marks
    one.faults = [(place, "it broke") for place in failed]
    return one


def test_figures_by_hand() -> None:
    # 1, 2 and 3 ms, of which the second failed; then 4 ms of another worker, which begins later.
    result = LoadNotes(
        [
            worker([0, 1_000_000, 3_000_000, 6_000_000], 2),
            worker([4_000_000, 8_000_000]),
            worker([]),
        ],
        late=1,
        overtime=5.0,
    )
    answer = histogram.answer(result)
    assert answer["operations"] == 3
    assert answer["seconds"] == 0.008
    assert answer["errors"] == {"it broke": 1, "not answered within 5 s": 1}
    figures = answer["latency_ns"]
    assert (figures["min"], figures["max"]) == (1_000_000, 4_000_000)
    assert figures["mean"] == pytest.approx(8_000_000 / 3)
    # The deviations from 8/3 ms are -5/3, 1/3 and 4/3.
    assert figures["deviation"] == pytest.approx(1e6 * (42 / 27) ** 0.5)
    assert answer["histogram"] == [(1000.0, 1), (3000.0, 1), (4000.0, 1)]


@pytest.mark.parametrize(
    ("nanoseconds", "bound"),
    [(1, 1), (999, 999), (1000, 1000), (1001, 1010), (123_456, 124_000), (999_500, 1_000_000)],
)
def test_upper_bounds_have_three_digits(nanoseconds: int, bound: int) -> None:
    assert histogram.upper(nanoseconds) == bound


def test_a_histogram_counts_everything_once() -> None:
    took = sorted((number * 7919) % 1_000_003 for number in range(1, 5000))
    found = histogram.histogram(took)
    assert sum(count for _, count in found) == len(took)
    bounds = [bound for bound, _ in found]
    assert bounds == sorted(set(bounds))
    for bound, count in found[:50]:
        below = [one for one in took if one <= bound * 1000]
        assert len(below) >= count
        assert below[-1] > bound * 1000 * 0.989
