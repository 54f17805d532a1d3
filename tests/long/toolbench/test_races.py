"""Races of drivers of many cells, and what may go wrong in the middle."""

from __future__ import annotations

import signal
from pathlib import Path

import psutil

from race.analysis.analyse import analyse
from race.saved.model import CALIBRATION
from tests.long.toolbench.races import race_file
from tests.support.race_lab import Race
from tests.support.site_server import Databases, until
from toolbench.limits.operations import OPERATIONS
from toolbench.sqlalchemy.workload import number

STRATEGIES = ["sqlalchemy-sync", "sqlalchemy-tasks", "sqlalchemy-chunks", "sqlalchemy-bounded"]


def test_a_race_of_drivers_is_ranked(tmp_path: Path, databases: Databases) -> None:
    path = race_file(tmp_path, ["asyncpg", "psycopg"], ["wide", "one-plus-one"], [1, 4], rounds=6)
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    assert {cell.status for cell in saved.cells} == {"ok"}
    found = analyse(saved)
    for comparison in found.comparisons:
        assert {item.state for item in comparison.results} == {"ranked"}, comparison.results


def seconds_of(processes: list[psutil.Process]) -> float:
    """CPU time that they had."""
    times = [one.cpu_times() for one in processes]
    return sum(each.user + each.system for each in times)


def test_a_driver_that_is_killed_fails_its_cell_alone(tmp_path: Path, databases: Databases) -> None:
    path = race_file(tmp_path, ["psycopg"], ["ints"], [1], duration=2)
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        race.wait_for_cells(2)  # the calibration of both: the next ones take two seconds
        runners = [one for one in race.children() if "toolbench.runner" in " ".join(one.cmdline())]
        before = seconds_of(runners)
        until(lambda: seconds_of(runners) > before + 0.5, 30.0, "none is at work")
        # The race must not begin a cell of the one before the other is gone too.
        race.process.send_signal(signal.SIGSTOP)
        for one in runners:
            one.kill()
        ended = {psutil.STATUS_ZOMBIE}
        until(lambda: {one.status() for one in runners} == ended, 30.0, "they live on")
        race.process.send_signal(signal.SIGCONT)
        assert race.wait() == 1, race.text()
        cells = race.saved_race().cells
    statuses = sorted(cell.status for cell in cells)
    assert statuses == ["failed", "ok", "ok", "ok"], [cell.reason for cell in cells]
    (failed,) = (cell for cell in cells if cell.status == "failed")
    assert str(failed.reason).startswith("driver killed by SIGKILL")


def test_a_race_of_strategies_has_connections_over_time(
    tmp_path: Path, databases: Databases
) -> None:
    path = race_file(tmp_path, STRATEGIES, ["mixed"], [8], duration=0.5)
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    cells = {cell.label: cell for cell in saved.cells if cell.round != CALIBRATION}
    assert set(cells) == {*STRATEGIES, "sqlalchemy-sync (A/A)"}
    for label, cell in cells.items():
        assert cell.status == "ok", cell.reason
        assert (cell.count, cell.errors) == (number(cell.load.duration_s), {})
        assert cell.timeline, label
        assert cell.meters["peak_bytes"]["driver"] > 10_000_000
    report = (saved.folder / "report.html").read_text()
    assert "connections to the database" in report
    assert "Reads and writes through an ORM" in report


def test_a_race_of_limits_is_measured_and_counted(tmp_path: Path, databases: Databases) -> None:
    drivers = ["limits-uvloop", "limits-aiotarantool"]
    path = race_file(tmp_path, drivers, list(OPERATIONS), [10], duration=0.6, generator="wrk")
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    assert saved.head.discipline.unit == "operations"
    assert {cell.task for cell in saved.cells} == set(OPERATIONS)
    for cell in saved.cells:
        assert cell.status == "ok", cell.reason
        assert cell.throughput is not None
        assert cell.meters["cpu_ns"]["driver"] > 0
        assert cell.facts == ({} if cell.task == "objects" else {"database_requests": 1})
    assert "A million result objects" in (saved.folder / "report.html").read_text()
