"""The workload of SQLAlchemy: its operations, its schedules, its timeline."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from race.errors import CellFailed
from race.web.databases import Databases
from tests.support.records import contender
from toolbench.shared import Shared
from toolbench.sqlalchemy import schedules
from toolbench.sqlalchemy.log import BUCKET_NS, Log
from toolbench.sqlalchemy.schedules import Schedule
from toolbench.sqlalchemy.subject import WorkloadSubject
from toolbench.sqlalchemy.timeline import Observation, pause, timeline
from toolbench.sqlalchemy.workload import left, number, workload
from toolbench.subject import CheckAnswer

WORK = workload(200)
SECOND = 1_000_000_000


def test_the_workload_is_the_same_every_time_and_half_of_it_writes() -> None:
    assert number(100) == 35_000
    assert number(0.0001) == 2
    assert workload(200) == WORK
    assert len(WORK) == 200
    assert sum(one is None for one in WORK) == 100
    # Shuffled: neither half comes first, nor do they alternate.
    assert 30 < sum(one is None for one in WORK[:100]) < 70
    assert any(one is None and after is None for one, after in pairwise(WORK))
    assert left(100) == (300, 500)


class FakeStrategy:
    """Does operations that take some turns of the loop; notes how many are under way at most."""

    def __init__(self) -> None:
        self.done: list[int | None] = []
        self.most = 0
        self.turns = 0
        self._now = 0

    async def do(self, one: int | None) -> None:
        """Longer for some than for others."""
        self._now += 1
        self.most = max(self.most, self._now)
        for _ in range(10 if one is None else 10 + one % 40):
            await asyncio.sleep(0)
        self._now -= 1
        self.done.append(one)


def scheduled(schedule: Schedule) -> FakeStrategy:
    """All of the work done, and how many turns of the loop that took."""
    doer = FakeStrategy()

    async def check() -> None:
        working = asyncio.ensure_future(schedule(WORK, doer.do, 40))
        while not working.done():
            await asyncio.sleep(0)
            doer.turns += 1
        await working

    asyncio.run(asyncio.wait_for(check(), 10.0))
    return doer


@pytest.mark.parametrize(
    "schedule", [schedules.tasks, schedules.chunks, schedules.bounded], ids=lambda one: one.__name__
)
def test_every_operation_is_done_once(schedule: Schedule) -> None:
    assert sorted(scheduled(schedule).done, key=str) == sorted(WORK, key=str)


def test_so_many_at_a_time_are_under_way_and_no_more() -> None:
    chunks, bounded = scheduled(schedules.chunks), scheduled(schedules.bounded)
    assert (chunks.most, bounded.most) == (40, 40)
    # A chunk waits for its slowest.
    assert bounded.turns < chunks.turns


def test_tasks_go_on_while_others_are_made() -> None:
    """Else every one of them would ask for its first connection before any gave one back."""
    assert 2 < scheduled(schedules.tasks).most < 150


@pytest.mark.parametrize(
    "schedule", [schedules.tasks, schedules.chunks, schedules.bounded], ids=lambda one: one.__name__
)
def test_what_is_too_late_is_given_up_as_a_whole(schedule: Schedule) -> None:
    async def forever(one: int | None) -> None:
        await asyncio.sleep(60)

    async def check() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await schedule(WORK, forever, 40)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(check())


def test_what_was_done_is_counted_by_time_and_kind() -> None:
    log = Log()
    log.ends = [log.begun + place * BUCKET_NS // 2 for place in range(5)]
    assert log.timeline() == [2, 2, 1]
    log.failed(ValueError("one\n line"))
    log.failed(ValueError("one\n line"))
    assert dict(log.errors) == {"ValueError: one line": 2}
    assert Log().timeline() == []


def test_the_timeline_has_what_the_database_saw_during_the_load() -> None:
    observations = [Observation(at * SECOND // 10, at, at // 2) for at in range(20)]
    moments = timeline(observations, 5 * SECOND // 10, 1.0, [1] * 20)
    assert [round(one.at, 1) for one in moments] == [place / 10 for place in range(11)]
    assert [one.connections for one in moments] == list(range(5, 16))
    assert moments[-1].active == 7
    # One in each twentieth of a second; nothing is known of the begin.
    assert moments[0].throughput == 0
    assert [one.throughput for one in moments[1:]] == pytest.approx([20.0] * 10)
    assert timeline([], 0, 1.0, []) == []


def test_looks_are_as_many_for_a_short_load_as_for_a_long_one() -> None:
    assert [pause(seconds) for seconds in (1, 12, 600)] == [0.05, 0.2, 1.0]


class WrongSubject(WorkloadSubject):
    """A workload whose read is wrong, and which leaves too few rows."""

    def _ask(self, question: object, seconds: float, form: object) -> Any:
        return CheckAnswer(rows=[[["text", "42"], ["int", "2"]]])

    def _rows(self) -> tuple[int, ...]:
        return 300, 499


def test_a_wrong_read_and_missing_rows_fail_the_check() -> None:
    shared = Shared(Databases())
    one = WrongSubject(contender("sqlalchemy-sync"), shared, {}, None)  # type: ignore[arg-type]
    with pytest.raises(CellFailed, match=r"sqlalchemy-sync, mixed: it read .* is right"):
        one.check("mixed")
    one.writes = 100
    with pytest.raises(CellFailed, match=r"it left \(300, 499\) rows where \(300, 500\) are right"):
        one.check("mixed")
