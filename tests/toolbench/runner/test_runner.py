"""The Python runner, in this process: its answers, its loops, what its clock costs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.toolbench.runner import fake_driver
from toolbench.driver import Call
from toolbench.drivers import DRIVERS, Tool
from toolbench.runner import histogram, timed
from toolbench.runner.session import Session
from toolbench.runner.values import plain, tagged
from toolbench.runner.timed import Driven, Worker, in_tasks, in_threads

KINDS = ("Asynchronous", "Blocking", "Shared")


class Asked:
    """A session with a fake driver, asked in dicts."""

    def __init__(self, kind: str, loop: str = "asyncio") -> None:
        self.session, self.kind, self.loop = Session(), kind, loop

    def __call__(self, does: str, **words: Any) -> dict[str, Any]:
        answer = self.session.answer(json.dumps({"do": does, **words}))
        assert answer is not None
        decoded: dict[str, Any] = json.loads(json.dumps(answer))
        return decoded

    def open(self, database: str = "here") -> dict[str, Any]:
        address = {"host": "h", "port": 1, "path": None, "user": None, "password": None}
        options = {"prepared": True, "loop": self.loop, "format": "text"}
        where = {**address, "database": database}
        return self("open", driver=self.kind, address=where, options=options)

    def check(self, kind: str, **more: Any) -> dict[str, Any]:
        return self("check", operation=operation(kind, **more))


def operation(kind: str, **more: Any) -> dict[str, Any]:
    least = {"name": kind, "kind": kind, "sql": "", "args": [], "columns": [], "table": ""}
    return {**least, "records": [], **more}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Asked]]:
    """Makes a session with one of the fake drivers."""
    made: list[Asked] = []
    for kind in KINDS:
        monkeypatch.setitem(DRIVERS, kind, Tool(f"tests.toolbench.runner.fake_driver:{kind}"))

    def make(kind: str, loop: str = "asyncio") -> Asked:
        made.append(Asked(kind, loop))
        return made[-1]

    yield make
    for one in made:
        one.session.close()
    assert not fake_driver.open_now


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_has_the_tag_of_its_type(asked: Callable[..., Asked], kind: str) -> None:
    ask = asked(kind)
    assert ask.open() == {"ready": True}
    answer = ask.check("rows", args=[7, {"bytes": "ff"}])
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


def test_what_is_not_known_has_its_own_name_and_json_stays_json() -> None:
    assert tagged(range(2)) == ["range", "range(0, 2)"]
    assert plain({"a": 1}) == {"a": 1}
    assert plain([{"bytes": "00"}, 1]) == [b"\x00", 1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_check_takes_one_connection_and_a_load_as_many_as_workers(
    asked: Callable[..., Asked], kind: str
) -> None:
    ask = asked(kind)
    ask.open()
    assert len(fake_driver.open_now) == 1
    assert ask.check("nothing", records=[[1], [2]]) == {"rows": [], "count": 2}
    answer = ask("drive", operation="nothing", seconds=0.05, concurrency=3)
    assert answer["operations"] == sum(count for _, count in answer["histogram"]) > 3
    assert answer["errors"] == {}
    assert 0.05 <= answer["seconds"] < 1
    assert answer["beside_ns"] >= 0
    assert len(fake_driver.open_now) == (1 if kind == "Shared" else 3)
    ask.check("rows")
    assert len(fake_driver.open_now) == 1
    assert ask("drive", operation="nothing", seconds=0.05, concurrency=2)["operations"] > 0


def test_uvloop_drives_as_well(asked: Callable[..., Asked]) -> None:
    ask = asked("Asynchronous", "uvloop")
    ask.open()
    ask.check("nothing")
    assert ask("drive", operation="nothing", seconds=0.05, concurrency=2)["operations"] > 0
    assert "uvloop" in type(ask.session._loop).__module__


@pytest.mark.parametrize("kind", KINDS)
def test_trouble_is_an_answer_of_one_line_and_the_runner_goes_on(
    asked: Callable[..., Asked], kind: str
) -> None:
    ask = asked(kind)
    assert ask.check("rows") == {"error": "ValueError: nothing is open"}
    assert ask.open("gone") == {"error": "ConnectionError: nobody answers"}
    assert ask.open() == {"ready": True}
    assert ask("dance") == {"error": "ValueError: unknown question 'dance'"}
    assert ask.check("fails") == {"error": "LookupError: first line second line"}
    assert ask.check("flies") == {"unsupported": "flies"}
    unchecked = ask("drive", operation="rows", seconds=0.1, concurrency=1)
    assert unchecked == {"error": "ValueError: operation 'rows' was not checked"}
    assert ask.session.answer("no JSON") == {
        "error": "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
    }
    assert ask.check("nothing")["count"] == 1
    assert ask.session.answer('{"do": "end"}') is None


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_counted_and_no_operations(
    asked: Callable[..., Asked], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed, "MOST_FAULTS", 5)
    ask = asked(kind)
    ask.open()
    ask.check("fails")
    answer = ask("drive", operation="fails", seconds=5, concurrency=2)
    assert answer["operations"] == 0
    assert answer["histogram"] == []
    assert answer["errors"] == {"LookupError: first line second line": 10}
    assert answer["seconds"] < 1


@pytest.mark.parametrize("kind", ["Asynchronous", "Blocking"])
def test_what_does_not_come_back_is_waited_for_only_so_long(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(histogram, "PATIENCE_SECONDS", 0.1)

    async def hang() -> None:
        await asyncio.sleep(2)

    began = time.monotonic()
    calls: list[Call] = [hang] * 2 if kind == "Asynchronous" else [lambda: time.sleep(2)] * 2
    hangs = kind == "Asynchronous"
    driven = asyncio.run(in_tasks(calls, 0.1)) if hangs else in_threads(calls, 0.1)
    answer = histogram.answer(driven)
    assert time.monotonic() - began < 1.5
    assert answer["errors"] == {"not answered within 0.1 s": 2}
    assert answer["operations"] == 0


def worker(marks: list[int], *failed: int) -> Worker:
    one = Worker(lambda: None)
    one.marks = marks
    one.faults = [(place, "it broke") for place in failed]
    return one


def test_figures_by_hand() -> None:
    # 1, 2 and 3 ms, of which the second failed; then 4 ms of another worker, which begins later.
    driven = Driven(
        [
            worker([0, 1_000_000, 3_000_000, 6_000_000], 2),
            worker([4_000_000, 8_000_000]),
            worker([]),
        ],
        1,
    )
    answer = histogram.answer(driven)
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


@pytest.mark.parametrize("blocking", [False, True])
def test_the_clock_and_the_histogram_cost_less_than_a_microsecond(blocking: bool) -> None:
    """Of CPU time, beyond a bare loop over operations that do nothing but be called. The best of
    five: the machine may have other things to do.
    """

    async def nothing() -> None:
        """Not even wait."""

    def idle() -> None:
        """Nothing."""

    async def bare(number: int) -> None:
        for _ in range(number):
            await nothing()

    costs = []
    for _ in range(5):
        began = time.process_time()
        driven = in_threads([idle], 0.2) if blocking else asyncio.run(in_tasks([nothing], 0.2))
        done = histogram.answer(driven)["operations"]
        measured = time.process_time() - began
        began = time.process_time()
        if blocking:
            for _ in range(done):
                idle()
        else:
            asyncio.run(bare(done))
        costs.append((measured - (time.process_time() - began)) / done)
    assert min(costs) < 1e-6, costs
