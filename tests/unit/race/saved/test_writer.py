"""Saving: a line on the disk for each cell, a full disk, a torn line, two at once."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from race.errors import NotSaved, RaceError
from race.saved import writer as writing
from race.saved.reader import CELLS_FILE, load
from race.saved.writer import Writer
from tests.support.faults.disk import largest_file
from tests.support.records import NOW, cell, contender, head

HEAD = head(contender("a"))
CELL = cell("a")


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


def test_there_is_room_for_a_cell_before_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def reserve(descriptor: int, size: int) -> None:
        asked.append(size)
        if len(asked) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing, "reserve", reserve)
    with Writer(tmp_path / "r", HEAD) as writer:
        writer.add(CELL)
        with pytest.raises(NotSaved, match=r"No space left on device$"):
            writer.add(replace(CELL, order=1))
    assert [one.order for one in load(tmp_path / "r").cells] == [0, 1]


def test_a_line_that_cannot_be_taken_back_is_dropped_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dying:
        """A file of a disk that goes away in the middle of a line."""

        def __init__(self, file: Any) -> None:
            self.file = file
            self.fileno = file.fileno
            self.seek = file.seek
            self.close = file.close

        def write(self, line: bytes) -> int:
            self.file.write(line[:20])
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        def truncate(self, size: int) -> None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with Writer(tmp_path / "r", HEAD) as writer:
        writer.add(CELL)
        monkeypatch.setattr(writer, "_cells", Dying(writer._cells))
        with pytest.raises(NotSaved, match=r"Input/output error$"):
            writer.add(replace(CELL, order=1))
    assert len(load(tmp_path / "r").problems) == 1
    with Writer(tmp_path / "r", HEAD):
        pass
    saved = load(tmp_path / "r")
    assert (saved.cells, saved.problems) == ([CELL], [])


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


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ({"finished_at": NOW}, "^r is finished: see it with `race report r`$"),
        ({"seed": 4}, "has another race of that name: try again$"),
    ],
)
def test_a_race_that_another_harness_changed_meanwhile_is_left_as_it_is(
    there: dict[str, object], expected: str, tmp_path: Path
) -> None:
    with Writer(tmp_path / "r", replace(HEAD, **there)) as writer:
        writer.add(CELL)
    with pytest.raises(RaceError, match=expected):
        Writer(tmp_path / "r", HEAD)
    assert load(tmp_path / "r").head == replace(HEAD, **there)
