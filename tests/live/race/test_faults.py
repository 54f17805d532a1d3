"""Faults in a running race give the cell a reason, the race goes on, and no process is left."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil

from tests.support.race_lab import Race, scenario

ENGINE = "aiohttp-memory-one"


def left_behind(children: list[psutil.Process]) -> list[psutil.Process]:
    """Return the processes that still run, except shared supervisors of databases."""
    _, alive = psutil.wait_procs(children, timeout=10)
    return [one for one in alive if "databases.supervisor" not in " ".join(one.cmdline())]


def _are_pinned(race: Race, generator: psutil.Process) -> None:
    """The generator and the active server have their own cores, the paused server has none."""
    if len(os.sched_getaffinity(0)) < 2:
        return  # with one core nothing is pinned
    pinned = race.saved_race().head.environment.pinned
    running = [one for one in race.children() if "server.py" in " ".join(one.cmdline())]
    servers = [one.cpu_affinity() for one in running]
    assert generator.cpu_affinity() == pinned["generator"]
    assert not set(pinned["generator"]) & set(pinned["server"])
    assert len(servers) == 2
    servers.remove(pinned["server"])
    assert not set(servers[0]) & set(pinned["server"])


def test_a_server_killed_under_load_leaves_what_was_seen_of_its_cell(tmp_path: Path) -> None:
    path = scenario(tmp_path, [ENGINE], ["ugly"], duration=2)
    with Race(["run", str(path)], tmp_path / "results") as race:
        generator = race.child("-d2s")  # of the first round: windows and calibration are shorter
        time.sleep(0.5)
        _are_pinned(race, generator)
        for child in race.children():
            if "server.py" in " ".join(child.cmdline()):
                child.kill()
        assert race.wait() == 1, race.text()
        lost, other = race.saved_race().cells[2:]
        assert "FAILED: server killed by SIGKILL (" in race.text()
    assert (lost.status, other.status) == ("failed", "ok")
    assert str(lost.reason).startswith("server killed by SIGKILL")
    assert lost.count is not None
    assert lost.count > 100
    assert lost.seconds is not None
    assert 0.3 < lost.seconds < 1.6
    assert lost.meters["cpu_ns"]["server"] > 1e8
    assert lost.facts["body_bytes"] > 0


def test_an_interrupted_race_keeps_its_cells_and_goes_on(
    tmp_path: Path,
) -> None:
    path = scenario(tmp_path, [ENGINE], ["ugly"], duration=0.3)
    saved = tmp_path / "results"
    with Race(["run", str(path), "--seed", "5"], saved) as race:
        race.wait_for_cells(1)
        race.child("wrk_scripts")
        children = race.children()
        race.send(signal.SIGTERM)
        assert race.wait() == 130, race.text()
        assert not left_behind(children)
        run = race.saved_race()
        assert run.head.finished_at is None
        assert f"race resume {run.head.race}" in race.text()
    kept = run.cells
    assert 1 <= len(kept) < 4
    with Race(["resume", "latest"], saved) as race:
        assert race.wait() == 0, race.text()
        whole = race.saved_race()
    assert whole.cells[: len(kept)] == kept
    assert [cell.order for cell in whole.cells] == [0, 1, 0, 1]
    assert whole.head.finished_at is not None


def test_an_interrupt_before_the_race_begins_is_one_line(tmp_path: Path) -> None:
    path = scenario(tmp_path, [ENGINE], ["ugly"])
    with Race(["run", str(path)], tmp_path / "results") as race:
        server = race.child("--list")
        race.send(signal.SIGTERM)
        assert race.wait() == 130, race.text()
        assert race.text() == "race: interrupted\n"
        assert not left_behind([server])
