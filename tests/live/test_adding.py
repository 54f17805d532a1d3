"""Adding takes one file and one line: a toy of each from outside of the tree, raced and shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from race.saved.model import CALIBRATION
from runtime.paths import ROOT
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import environment

OUTSIDE = ROOT / "tests" / "support" / "outside"
ENGINE = "toyweb-toydriver-one"
SECONDS = 40.0


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A copy of the toys somewhere else, on PYTHONPATH, whose ``sitecustomize`` has the lines."""
    import shutil

    folder = tmp_path_factory.mktemp("outside") / "toys"
    shutil.copytree(OUTSIDE, folder)
    var = str(tmp_path_factory.mktemp("var"))
    return environment(PYTHONPATH=f"{folder}:{ROOT}", VAR_DIR=var)


@pytest.fixture(scope="module")
def raced(env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Race]:
    """The toy engine on the toy database, driven by the toy generator."""
    folder = tmp_path_factory.mktemp("raced")
    path = folder / "toys.toml"
    path.write_text(
        f'title = "Toys"\nengines = ["{ENGINE}"]\npages = ["good"]\n'
        f'rounds = 1\nbaseline = "{ENGINE}"\n'
        '[load]\ngenerator = "toyload"\nconnections = 1\nduration_s = 0.3\nmax_connections = 1\n'
        f"[warmup]\nwindow_s = 0.2\nwindows = 1\n{LIMITS}"
    )
    with Race(["run", str(path)], folder / "results", env) as race:
        assert race.wait() == 0, race.text()
        yield race


def test_an_engine_a_driver_and_a_database_are_raced_and_metered(raced: Race) -> None:
    saved = raced.saved_race()
    assert [cell.status for cell in saved.cells] == ["ok"] * 4
    ours = [cell for cell in saved.cells if cell.label == ENGINE and cell.round != CALIBRATION]
    for cell in ours:
        assert cell.throughput is not None
        assert cell.throughput > 10
        # Each Good of the toy driver is three lines on the toy database's wire.
        assert cell.facts["database_requests"] == 3
        assert cell.meters["cpu_ns"]["database"] > 0
    (contender,) = (one for one in saved.head.contenders if one.label == ENGINE)
    assert contender.factors["web"] == "toyweb"
    assert contender.factors["backend"] == "toydriver"
    assert saved.head.environment.versions["toybase"] == "0.1"


def test_a_generator_and_a_meter_are_in_every_cell(raced: Race) -> None:
    for cell in raced.saved_race().cells:
        assert cell.load.generator == "toyload"
        assert cell.meters["cpu_ns"]["generator"] > 0
        assert cell.meters["toymeter"]["passed"] == 1
    assert raced.saved_race().head.discipline.meters["toymeter"] == "tocks"


def test_all_of_them_are_shown(raced: Race) -> None:
    report = (raced.saved_race().folder / "report.html").read_text()
    for part in (ENGINE, "toymeter", "tocks", "A chapter of toys", f"raced {ENGINE}"):
        assert part in report, part


def test_the_list_knows_what_was_added(env: dict[str, str]) -> None:
    command = [sys.executable, "server.py", "--list", "-e", "toyweb"]
    answer = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, cwd=ROOT, env=env, check=True
    )
    (line,) = (one for one in answer.stdout.splitlines() if one.startswith(ENGINE + " "))
    assert "CPython" in line


def test_a_command_is_there(env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "race", "toycommand", "--loudly"]
    answer = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, cwd=ROOT, env=env, check=False
    )
    assert (answer.returncode, answer.stdout) == (3, "HELLO\n")


def test_a_driver_is_measured_and_shown(env: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "tools.toml"
    path.write_text(
        'title = "Toys"\ndiscipline = "tools"\ndrivers = ["toytool"]\n'
        'operations = ["one-plus-one"]\nrounds = 1\n[load]\nconnections = 2\nduration_s = 0.3\n'
        f"[warmup]\nwindow_s = 0.2\nwindows = 1\n{LIMITS}"
    )
    with Race(["run", str(path)], tmp_path / "results", env) as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    assert {cell.label for cell in saved.cells} == {"toytool", "toytool (A/A)"}
    assert "toytool" in (saved.folder / "report.html").read_text()


def test_nothing_of_it_is_in_the_tree(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "race", "toycommand"]
    answer = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, cwd=ROOT, check=False
    )
    assert answer.returncode == 2
    assert "invalid choice: 'toycommand'" in answer.stderr
