"""Saving: a line on the disk for each cell, a full disk, a torn line."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from race.errors import RaceError
from race.saved import reader as results
from race.saved.model import Cell, Contender, Head, Load
from race.saved.writer import Recorder

HEAD = Head("r", {"name": "x"}, 1, "2026-11-20T20:45:00", None, ["race"], {}, [
    Contender("a", "a", "3.13")], "a")  # fmt: skip
CELL = Cell(1, "forward", 0, "a", "a", "3.13", "ugly", Load("wrk", 100), "t", "failed", "why")


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process may grow beyond `size` bytes: what a full disk does to it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_cell_is_readable_before_the_race_ends(tmp_path: Path) -> None:
    with Recorder(tmp_path / "r", HEAD) as recorder:
        recorder.add(CELL, {"harness_ns": 5})
        saved = results.load(tmp_path / "r")
        assert saved.cells == [CELL]
        assert saved.head == HEAD
        recorder.reject(1, "steal")
        recorder.reject(1, "again")
        recorder.finish("later")
    head = results.load(tmp_path / "r").head
    assert [(one.round, one.reason) for one in head.rejected] == [(1, "steal")]
    assert head.finished_at == "later"
    line = (tmp_path / "r" / results.CELLS_FILE).read_text()
    assert json.loads(line)["harness_ns"] == 5


def test_a_full_disk_keeps_finished_cells_and_says_how_to_go_on(tmp_path: Path) -> None:
    with Recorder(tmp_path / "r", HEAD) as recorder:
        recorder.add(CELL, {})
        size = (tmp_path / "r" / results.CELLS_FILE).stat().st_size
        with (
            largest_file(size + 20),
            pytest.raises(
                RaceError, match=r"cannot save results .* File too large; .*race resume r"
            ),
        ):
            recorder.add(replace(CELL, order=1), {})
        recorder.add(replace(CELL, order=2), {})
    saved = results.load(tmp_path / "r")
    assert [cell.order for cell in saved.cells] == [0, 2]
    assert not saved.problems


def test_a_line_torn_by_a_crash_is_dropped_when_the_race_goes_on(tmp_path: Path) -> None:
    with Recorder(tmp_path / "r", HEAD) as recorder:
        recorder.add(CELL, {})
    with (tmp_path / "r" / results.CELLS_FILE).open("a") as file:
        file.write('{"schema": 1, "rou')
    with Recorder(tmp_path / "r", HEAD) as recorder:
        recorder.add(replace(CELL, order=1), {})
    saved = results.load(tmp_path / "r")
    assert [cell.order for cell in saved.cells] == [0, 1]
    assert not saved.problems


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RaceError, match=r"cannot save results in .*Not a directory"):
        Recorder(tmp_path / "file" / "r", HEAD)
