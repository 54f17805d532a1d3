"""The workload of SQLAlchemy: the same for everyone, done once, watched from the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from race.saved.model import CALIBRATION
from tests.conftest import absent
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import Databases
from toolbench.drivers import DRIVERS
from toolbench.sqlalchemy import schedules
from toolbench.sqlalchemy.log import BUCKET_NS, Log
from toolbench.sqlalchemy.schedules import Schedule
from toolbench.sqlalchemy.timeline import Look, pause, timeline
from toolbench.sqlalchemy.workload import left, number, workload

WAYS = [name for name in DRIVERS if name.startswith("sqlalchemy-")]
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
    assert left(200) == (300, 500)


class Doer:
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


def scheduled(schedule: Schedule) -> Doer:
    """All of the work done, and how many turns of the loop that took."""
    doer = Doer()

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
    looks = [Look(at * SECOND // 10, at, at // 2) for at in range(20)]
    moments = timeline(looks, 5 * SECOND // 10, 1.0, [1] * 20)
    assert [round(one.at, 1) for one in moments] == [place / 10 for place in range(11)]
    assert [one.connections for one in moments] == list(range(5, 16))
    assert moments[-1].active == 7
    # One in each twentieth of a second; nothing is known of the begin.
    assert moments[0].throughput == 0
    assert [one.throughput for one in moments[1:]] == pytest.approx([20.0] * 10)
    assert timeline([], 0, 1.0, []) == []


def test_looks_are_as_many_for_a_short_load_as_for_a_long_one() -> None:
    assert [pause(seconds) for seconds in (1, 12, 600)] == [0.05, 0.2, 1.0]


def runnable() -> None:
    for name in WAYS:
        if problem := DRIVERS[name].problem():
            absent(f"{name}: {problem}")


@pytest.fixture
def raced(tmp_path: Path, databases: Databases) -> Callable[[str], Race]:
    """Starts a race of all ways."""

    def start(more: str) -> Race:
        path = tmp_path / "small.toml"
        path.write_text(
            'title = "Ways"\ndiscipline = "tools"\ndrivers = ["sqlalchemy-*"]\n'
            'operations = ["mixed"]\nrounds = 1\nbaseline = "sqlalchemy-sync"\n'
            "[load]\nconcurrency = [8]\nduration_s = 0.5\n"
            "[warmup]\nwindow_s = 0.1\ncalibration_s = 0.1\nwindows = 1\n" + LIMITS + more
        )
        return Race(["run", str(path)], tmp_path / "results", databases.env())

    return start


def test_each_way_does_the_whole_workload(raced: Callable[[str], Race]) -> None:
    runnable()
    with raced("") as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    cells = {cell.label: cell for cell in saved.cells if cell.round != CALIBRATION}
    assert set(cells) == {*WAYS, "sqlalchemy-sync (A/A)"}
    for label, cell in cells.items():
        assert cell.status == "ok", cell.reason
        assert cell.count == number(0.5)
        assert cell.errors == {}
        assert cell.timeline, label
        assert cell.meters["peak_bytes"]["driver"] > 10_000_000
        assert cell.meters["cpu_ns"]["driver"] > 0
    most = {label: max(one.connections or 0 for one in cells[label].timeline) for label in cells}
    assert most["sqlalchemy-sync"] == 1
    assert 2 <= most["sqlalchemy-chunks"] <= 8
    assert 2 <= most["sqlalchemy-bounded"] <= 8
    assert most["sqlalchemy-tasks"] >= 2
    report = (saved.folder / "report.html").read_text()
    assert "connections to the database" in report
    assert "Reads and writes through an ORM" in report


def test_what_reads_wrong_or_leaves_too_little_is_no_figure() -> None:
    """By a runner that answers what it likes."""
    from race.errors import CellFailed
    from tests.support.records import contender
    from toolbench.sqlalchemy.subject import Workload
    from toolbench.subject import Checked

    class Wrong(Workload):
        def _ask(self, question: object, seconds: float, form: object) -> Any:
            return Checked(rows=[[["text", "42"], ["int", "2"]]])

        def _left(self) -> tuple[int, ...]:
            return 300, 499

    one = Wrong(contender("sqlalchemy-sync"), None, {}, None)  # type: ignore[arg-type]
    with pytest.raises(CellFailed, match=r"sqlalchemy-sync, mixed: it read .* is right"):
        one.check("mixed")
    one.operations = 200
    with pytest.raises(CellFailed, match=r"it left \(300, 499\) rows where \(300, 500\) are right"):
        one.check("mixed")
