"""Saving: a line on the disk for each cell, a full disk, a torn line."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from race.errors import NotSaved
from race.saved.reader import CELLS_FILE, load
from race.saved.writer import Writer
from tests.support.records import NOW, cell, contender, head

HEAD = head(contender("a"))
CELL = cell("a")


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
    with Writer(tmp_path / "r", HEAD) as writer:
        writer.add(CELL)
        saved = load(tmp_path / "r")
        assert saved.cells == [CELL]
        assert saved.head == HEAD
        writer.finish(NOW)
    assert load(tmp_path / "r").head.finished_at == NOW


def test_a_full_disk_keeps_finished_cells(tmp_path: Path) -> None:
    with Writer(tmp_path / "r", HEAD) as writer:
        writer.add(CELL)
        size = (tmp_path / "r" / CELLS_FILE).stat().st_size
        refusal = r"cannot save results in .*: File too large$"
        with largest_file(size + 20), pytest.raises(NotSaved, match=refusal):
            writer.add(replace(CELL, order=1))
        writer.add(replace(CELL, order=2))
    saved = load(tmp_path / "r")
    assert [one.order for one in saved.cells] == [0, 2]
    assert not saved.problems


def test_a_line_torn_by_a_crash_is_dropped_when_the_race_goes_on(tmp_path: Path) -> None:
    with Writer(tmp_path / "r", HEAD) as writer:
        writer.add(CELL)
    with (tmp_path / "r" / CELLS_FILE).open("a") as file:
        file.write('{"schema": 1, "rou')
    with Writer(tmp_path / "r", HEAD) as writer:
        writer.add(replace(CELL, order=1))
    saved = load(tmp_path / "r")
    assert [one.order for one in saved.cells] == [0, 1]
    assert not saved.problems


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotSaved, match=r"cannot save results in .*Not a directory"):
        Writer(tmp_path / "file" / "r", HEAD)
