"""Faults in a running race: each cell that they spoil has a reason, and no process is left."""

from __future__ import annotations

import os
import resource
import signal
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.conftest import absent
from tests.support.race_lab import Race, scenario
from tests.support.site_server import Databases, environment

ENGINE = "aiohttp-memory-one"
LONG = 0.9


def left_behind(children: list[psutil.Process]) -> list[psutil.Process]:
    """Return the processes that still run, except shared supervisors of databases."""
    _, alive = psutil.wait_procs(children, timeout=10)
    return [one for one in alive if "databases.supervisor" not in " ".join(one.cmdline())]


@pytest.mark.parametrize(
    ("victim", "reason"),
    [("server.py", "server killed by SIGKILL"), ("wrk_scripts", "wrk killed by SIGKILL")],
)
def test_a_party_killed_in_a_cell_fails_that_cell_alone(
    victim: str, reason: str, tmp_path: Path
) -> None:
    path = scenario(tmp_path, [ENGINE], ["ugly", "about"], duration=LONG)
    with Race(["run", str(path)], tmp_path / "results") as race:
        race.child("wrk_scripts")
        race.child(victim).kill()
        assert race.wait() == 1, race.text()
        cells = race.saved_race().cells
        assert f"FAILED: {reason}" in race.text()
    assert [cell.status for cell in cells] == ["failed"] + ["ok"] * 7
    assert cells[0].reason is not None
    assert cells[0].reason.startswith(reason)
    assert cells[0].throughput is None
    assert cells[0].count is None


def test_why_a_server_does_not_start_is_the_reason_of_every_cell(tmp_path: Path) -> None:
    path = scenario(tmp_path, [ENGINE], ["ugly", "about"])
    env = {**environment(), "POOL_SIZE": "none"}
    with Race(["run", str(path)], tmp_path / "results", env) as race:
        assert race.wait() == 1, race.text()
        cells = race.saved_race().cells
    assert len(cells) == 8
    for cell in cells:
        assert cell.status == "failed"
        assert "POOL_SIZE=none: must be 1 to 1000" in str(cell.reason)


def test_a_database_that_is_gone_fails_cells_until_it_is_back(
    tmp_path: Path, databases: Databases
) -> None:
    path = scenario(tmp_path, ["aiohttp-tarantool-one"], ["good", "bad", "index"], duration=0.5)
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        race.wait_for_cells(1)
        with databases.down("tarantool"):
            race.wait_for_cells(3)
        assert race.wait() == 1, race.text()
        cells = race.saved_race().cells
    failed = [cell for cell in cells if cell.status == "failed"]
    assert failed
    assert all(cell.throughput is None and cell.reason for cell in failed)
    assert len(cells) == 12
    assert cells[0].status == cells[-1].status == "ok", [cell.reason for cell in cells]


def test_an_interrupt_while_a_server_starts_leaves_nothing(tmp_path: Path) -> None:
    path = scenario(tmp_path, [ENGINE], ["ugly"])
    with Race(["run", str(path)], tmp_path / "results") as race:
        server = race.child("-e")
        race.send(signal.SIGTERM)
        assert race.wait() == 130, race.text()
        assert not left_behind([server])


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGKILL])
def test_a_database_of_others_gets_its_cores_back(
    number: signal.Signals, tmp_path: Path, databases: Databases
) -> None:
    """A hangup gives them back at once; after a kill, the next command does.

    A process that the database started during the race gets them back too.
    """
    url, whole = databases.hold("postgres"), os.sched_getaffinity(0)
    if len(whole) < 2:
        absent("two cores: with one nothing is pinned")
    path = scenario(tmp_path, ["aiohttp-postgres-pool"], ["good"], duration=5)
    env = databases.env_at("postgres", url)
    with Race(["run", str(path)], tmp_path / "results", env) as race:
        race.child("-d5s")
        with psycopg.connect(url) as connection:
            backend = psutil.Process(connection.info.backend_pid)
            main = backend.parent()
            assert main is not None
            everybody = [main, *main.children(recursive=True)]
            assert {len(one.cpu_affinity()) for one in everybody} == {1}
            race.send(number)
            assert race.wait() in (130, -number)
            if number == signal.SIGKILL:
                with Race(["list"], tmp_path / "results", env) as command:
                    assert command.wait() == 0
            everybody = [main, *main.children(recursive=True)]
            assert backend in everybody
            assert {tuple(one.cpu_affinity()) for one in everybody} == {tuple(sorted(whole))}


def test_a_full_disk_ends_the_race_with_one_line_and_keeps_cells(tmp_path: Path) -> None:
    def small_files() -> None:
        # More than run.json, which names all packages (18 kB), and less than all cells (26 kB).
        resource.setrlimit(resource.RLIMIT_FSIZE, (22_000, 22_000))

    path = scenario(tmp_path, [ENGINE], ["ugly", "about", "index"], duration=0.3)
    with Race(["run", str(path)], tmp_path / "results", before=small_files) as race:
        children: list[psutil.Process] = []
        while race.process.poll() is None:
            children = race.children() or children
            time.sleep(0.05)
        assert race.wait() == 2, race.text()
        assert "File too large; finished cells are kept" in race.text()
        assert "Traceback" not in race.text()
        assert not left_behind(children)
        run = race.saved_race()
    assert 0 < len(run.cells) < 12
    assert not run.problems
    assert run.head.finished_at is None
