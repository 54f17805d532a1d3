"""Races of drivers as a person starts them: what is reported, what goes wrong in the middle."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import psutil
import pytest

from race.analysis.analyse import analyse
from race.errors import RaceError
from race.plan.read import load
from race.saved.model import CALIBRATION
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import Databases, environment, until
from toolbench import shared
from toolbench.contenders import raced
from toolbench.drivers import DRIVERS
from toolbench.operation import FOLDER
from toolbench.scenario import ToolsScenario

SCENARIO = """
title = "Two drivers"
discipline = "tools"
drivers = {drivers}
operations = {operations}
rounds = {rounds}
baseline = "psycopg"

[load]
concurrency = {concurrency}
duration_s = {duration}

[warmup]
window_s = 0.1
calibration_s = 0.1
windows = 1
"""


def scenario(
    folder: Path,
    drivers: list[str],
    operations: list[str],
    concurrency: list[int],
    rounds: int = 1,
    duration: float = 0.2,
) -> Path:
    """A scenario file in a folder; skips where a driver is not installed."""
    for name in drivers:
        if problem := DRIVERS[name].lacking():
            absent(f"{name}: {problem}")
    path = folder / "small.toml"
    text = SCENARIO.format(
        drivers=drivers,
        operations=operations,
        concurrency=concurrency,
        rounds=rounds,
        duration=duration,
    )
    path.write_text(text.replace("'", '"') + LIMITS)
    return path


def test_a_race_of_drivers_is_measured_ranked_and_reported(
    tmp_path: Path, databases: Databases
) -> None:
    path = scenario(tmp_path, ["asyncpg", "psycopg"], ["wide", "one-plus-one"], [1, 4], rounds=6)
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved, text = race.saved_race(), race.text()
    assert {cell.status for cell in saved.cells} == {"ok"}
    for cell in saved.cells:
        assert cell.load.fixed
        assert cell.connections_used == cell.load.connections
        assert set(cell.meters["busy"]) == {"driver", "database"}
        assert cell.facts["rows"] == 1 or cell.task == "wide"
        assert {"min", "mean", "max", "deviation", "p50", "p99"} <= cell.latency_us.keys()
    found = analyse(saved)
    assert [comparison.place for comparison in found.comparisons] == [
        "Wide rows, 1 at once",
        "Wide rows, 4 at once",
        "1 + 1, 1 at once",
        "1 + 1, 4 at once",
    ]
    for comparison in found.comparisons:
        assert {item.state for item in comparison.results} == {"ranked"}, comparison.results
    assert "wide c1" in text
    report = (saved.folder / "report.html").read_text()
    for part in ("Wide rows, 4 at once", "binary protocol, in Cython", "it gives char as bytes"):
        assert part in report, part


def test_what_a_driver_has_nothing_for_is_unsupported_and_no_failure(
    tmp_path: Path, databases: Databases
) -> None:
    path = scenario(tmp_path, ["psycopg", "aiopg"], ["one-plus-one", "copy-in"], [1])
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved, text = race.saved_race(), race.text()
    reason = DRIVERS["aiopg"].cannot["copy"]
    assert saved.head.unsupported == {"aiopg": {"copy-in": reason}}
    assert not [cell for cell in saved.cells if (cell.label, cell.task) == ("aiopg", "copy-in")]
    assert "unsupported: aiopg on copy-in:" in text
    (comparison,) = (one for one in analyse(saved).comparisons if one.work.task == "copy-in")
    (item,) = (one for one in comparison.results if one.label == "aiopg")
    assert (item.state, item.reason) == ("unsupported", reason)
    report = (saved.folder / "report.html").read_text()
    assert '<span class="rule">unsupported</span>' in report


def test_a_database_that_goes_away_fails_cells_until_it_is_back(
    tmp_path: Path, databases: Databases
) -> None:
    path = scenario(tmp_path, ["asyncpg", "psycopg"], ["ints", "upsert"], [2], duration=0.5)
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        race.wait_for_cells(1)
        with databases.down("postgres"):
            race.wait_for_cells(3)
            # Cells that fail are over soon: the last ones are to find it back.
            race.process.send_signal(signal.SIGSTOP)
        race.process.send_signal(signal.SIGCONT)
        assert race.wait() == 1, race.text()
        cells = race.saved_race().cells
    failed = [cell for cell in cells if cell.status == "failed"]
    assert failed
    for cell in failed:
        assert "\n" not in str(cell.reason)
    assert len(cells) == 12
    assert cells[0].round == CALIBRATION
    assert cells[0].status == cells[-1].status == "ok", [cell.reason for cell in cells]


def seconds_of(processes: list[psutil.Process]) -> float:
    """CPU time that they had."""
    times = [one.cpu_times() for one in processes]
    return sum(each.user + each.system for each in times)


def test_a_driver_that_is_killed_fails_its_cell_alone(tmp_path: Path, databases: Databases) -> None:
    path = scenario(tmp_path, ["psycopg"], ["ints"], [1], duration=2)
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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--drivers", "asynpg"], "unknown driver 'asynpg': did you mean 'asyncpg'?"),
        (["--operations", "wid"], "unknown operation 'wid': did you mean 'wide'?"),
        (["--drivers", "limits-uvloop"], "it is driven by wrk"),
        (["--set", "loop=uvlop"], "unknown loop 'uvlop': did you mean 'uvloop'?"),
        (["--set", "load.concurency=[1]"], "did you mean 'load.concurrency'?"),
    ],
)
def test_a_wrong_word_is_one_line(words: list[str], told: str, tmp_path: Path) -> None:
    with Race(["run", "toolbench", *words], tmp_path) as race:
        assert race.wait() == 2, race.text()
        assert told in race.text()
        assert race.text().count("\n") == 1, race.text()


ELSEWHERE = """
from pathlib import Path

from toolbench import operation

operation.operations.__wrapped__.__defaults__ = (Path(__file__).parent / "toolbench",)
"""


def test_an_operation_file_with_a_bad_field_is_one_line(tmp_path: Path) -> None:
    """Of a copy of all operations, which the race is pointed to."""
    for folder in sorted(FOLDER.glob("*/operations")):
        shutil.copytree(folder, tmp_path / folder.relative_to(ROOT))
    (tmp_path / "sitecustomize.py").write_text(ELSEWHERE)
    with (tmp_path / "toolbench" / "postgres" / "operations" / "wide.toml").open("a") as file:
        file.write("\nsqll = 'select 1'\n")
    env = environment(PYTHONPATH=f"{tmp_path}:{ROOT}")
    with Race(["run", "toolbench"], tmp_path / "results", env) as race:
        assert race.wait() == 2, race.text()
        assert "unknown key of operation wide 'sqll': did you mean 'sql'?" in race.text()
        assert race.text().count("\n") == 1, race.text()


def test_two_races_do_not_use_the_same_tables(
    tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("VAR_DIR", databases.env()["VAR_DIR"])
    monkeypatch.setattr(shared, "ALONE_SECONDS", 0.1)
    path = scenario(tmp_path, ["asyncpg", "psycopg"], ["ints"], [1])
    chosen = load(str(path))
    assert isinstance(chosen, ToolsScenario)
    contenders = [one for name in chosen.contenders for one in raced(chosen, name)]
    with (
        shared.opened(chosen, contenders),
        pytest.raises(RaceError, match="another race of drivers uses the tables of postgres"),
        shared.opened(chosen, contenders),
    ):
        pass
