"""The folder of a series alone shows what it still has to do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.cli import main
from race.commands.options import span
from race.errors import RaceError
from race.plan import read
from race.run import series
from race.run.series import Asked, Series
from race.saved.model import CALIBRATION, Cell
from race.saved.reader import CELLS_FILE, RUN_FILE, SavedRace
from tests.support.race_lab import refused
from tests.support.synthetic import Recipe, failed, write

RECIPE = Recipe(engines=("aiohttp-tarantool-one",), pages=("ugly",), rounds=2, faults=False)
ASKED = Asked(
    scenario=read.load("quick").as_json(), times=2, every_s=3600.0, command=["race", "run", "x"]
)
STARTED = datetime(2026, 11, 20, 20, 45, tzinfo=UTC)


def made(folder: Path, *names: str, finished: bool = True) -> Series:
    """Return a series of two runs with these; the last of them may be unfinished."""
    series.write(folder, ASKED)
    for name in names:
        over = finished or name != names[-1]
        write(folder / name, replace(RECIPE, name=name, finished=over))
    return series.read(folder)


def spoiled(run: SavedRace, share: float) -> SavedRace:
    """Return a run of which the machine spoiled so many of the cells."""
    number = round(share * len(run.cells))
    bad = [failed(cell, "invalid", "foreign CPU 55%") for cell in run.cells[:number]]
    return replace(run, cells=bad + run.cells[number:])


def test_a_series_goes_on_with_what_its_folder_lacks(tmp_path: Path) -> None:
    found = made(tmp_path / "new")
    assert (found.over, found.unfinished, found.due(STARTED)) == (False, None, STARTED)
    found = made(tmp_path / "half", "one", "two", finished=False)
    assert not found.over
    assert found.unfinished is not None
    assert found.unfinished.head.race == "two"
    assert [run.head.race for run in found.counted] == ["one"]
    assert made(tmp_path / "all", "one", "two").over


def test_the_next_run_begins_so_long_after_the_start_of_the_last(tmp_path: Path) -> None:
    found = made(tmp_path, "one")
    hour = timedelta(hours=1)
    assert found.due(STARTED + timedelta(minutes=5)) == STARTED + hour
    assert found.due(STARTED + 9 * hour) < STARTED + 9 * hour  # after a reboot: at once
    back = STARTED - timedelta(days=300)
    assert found.due(back) == back + hour


def test_a_disturbed_run_is_repeated_but_not_for_ever(tmp_path: Path) -> None:
    found = made(tmp_path, "one", "two")
    first, second = found.runs
    assert replace(found, runs=[first, spoiled(second, 0.2)]).over
    disturbed = replace(found, runs=[spoiled(first, 0.5), second])
    assert not disturbed.over
    assert disturbed.counted == [second]
    assert replace(found, runs=[second, *[spoiled(first, 0.5)] * 2]).over is False
    assert replace(found, runs=[second, *[spoiled(first, 0.5)] * 3]).over


def test_later_runs_take_the_connections_of_the_first_that_counts(tmp_path: Path) -> None:
    found = made(tmp_path, "one", "two")

    def with_calibration(run: SavedRace, *numbers: int) -> SavedRace:
        return replace(run, cells=[*(_calibration(run, one) for one in numbers), *run.cells])

    first, second = (with_calibration(found.runs[0], 16, 64), with_calibration(found.runs[1], 32))
    assert replace(found, runs=[first, second]).connections == {"ugly": 64}
    assert replace(found, runs=[spoiled(first, 0.5), second]).connections == {"ugly": 32}


def _calibration(run: SavedRace, connections: int) -> Cell:
    return changed(run.cells[0], round=CALIBRATION, connections_used=connections)


def test_a_series_is_not_saved_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / series.SERIES_FILE).symlink_to(tmp_path / "precious")
    series.write(tmp_path / "a", ASKED)
    assert (tmp_path / "precious").read_text() == "mine"


def test_only_one_harness_has_a_series(tmp_path: Path) -> None:
    second = series.alone(tmp_path)
    with series.alone(tmp_path), pytest.raises(RaceError, match="run by another harness"):
        second.__enter__()
    with series.alone(tmp_path):
        pass


@pytest.mark.parametrize(
    ("text", "seconds"), [("8h", 28800), ("90m", 5400), ("45s", 45), ("0", 0), ("1.5d", 129600)]
)
def test_a_span(text: str, seconds: float) -> None:
    assert span(text) == seconds


def test_wrong_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*words: str) -> str:
        return refused(capsys, "series", *words, "--results", str(tmp_path))

    assert "'8' is no time up to 30d, such as 8h, 90m or 0" in asked("quick", "--every", "8")
    assert "'1' is no number of runs: 2 to 100" in asked("quick", "--times", "1")
    assert "did you mean 'quick'?" in asked("quik")
    assert not list(tmp_path.iterdir())
    series.write(tmp_path / "series-quick", ASKED)
    said = "series with other settings: move it away"
    assert said in asked("quick", "--rounds", "3")
    assert said in asked("series-quick", "--rounds", "3")
    (tmp_path / "series-quick" / series.SERIES_FILE).write_text("{")
    assert "series.json is damaged" in asked("series-quick")


def test_a_finished_series_is_shown_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = made(tmp_path / "mine", "one", "two")
    assert main(["series", "mine", "--markdown", "--results", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("# 2 runs: ")
    assert (found.folder / "series.md").read_text() == shown
    assert {path.name for path in found.folder.iterdir()} >= {"one", "two"}
    assert sorted(path.name for path in (found.folder / "one").iterdir()) == [CELLS_FILE, RUN_FILE]
