"""Saving: a line on the disk for each cell, a full disk, a torn line, two at once."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from race.errors import NotSaved, RaceError
from race.saved import writer as writing
from race.saved.reader import CELLS_FILE, RUN_FILE, load
from race.saved.writer import Writer
from tests.support.faults.disk import largest_file
from tests.support.records import NOW, cell, contender, head

HOLD = """
import sys, time
from pathlib import Path
from race.saved.writer import Writer
from tests.support.records import contender, head
with Writer(Path(sys.argv[1]), head(contender("a"))):
    print("held", flush=True)
    time.sleep(60)
"""
HEAD = head(contender("a"))
CELL = cell("a")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, where this user may have one."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.call(words, stderr=subprocess.DEVNULL):
        pytest.skip("only root may mount a disk, and not in every container")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """No room is left."""
    path = place / "filler"
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    return path


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


def test_what_was_measured_still_fits_on_a_full_disk(disk: Path) -> None:
    with Writer(disk / "r", HEAD) as writer:
        filler = fill(disk)
        with pytest.raises(NotSaved, match=r"No space left on device$"):
            writer.add(CELL)
        filler.unlink()
    assert load(disk / "r").cells == [CELL]
    with Writer(disk / "r", HEAD) as writer:
        writer.add(replace(CELL, order=1))
        fill(disk)
        writer.finish(NOW)
    saved = load(disk / "r")
    assert [one.order for one in saved.cells] == [0, 1]
    assert saved.head.finished_at == NOW
    with pytest.raises(NotSaved, match=r"No space left on device$"):
        Writer(disk / "s", HEAD)


def test_a_disk_that_became_read_only_is_one_line(disk: Path) -> None:
    with Writer(disk / "r", HEAD) as writer:
        writer.add(CELL)
    with (disk / "r" / CELLS_FILE).open("a") as file:
        file.write('{"torn')
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    for name in ("r", "s"):
        with pytest.raises(
            NotSaved, match=f"^cannot save results in .*{name}: Read-only file system$"
        ):
            Writer(disk / name, HEAD)
    assert load(disk / "r").cells == [CELL]


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


def test_the_second_harness_in_a_folder_is_told_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "LOCK_SECONDS", 0.1)
    words = [sys.executable, "-c", HOLD, str(tmp_path / "r")]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as first:
        try:
            assert first.stdout is not None
            assert first.stdout.readline() == b"held\n"
            before = (tmp_path / "r" / RUN_FILE).stat().st_ino
            told = rf"^r is run by another harness \(process {first.pid}\): wait for its end$"
            with pytest.raises(RaceError, match=told):
                Writer(tmp_path / "r", HEAD)
            assert (tmp_path / "r" / RUN_FILE).stat().st_ino == before
        finally:
            first.kill()
    with Writer(tmp_path / "r", HEAD):  # whatever ended the first
        pass


def test_who_lets_go_in_a_moment_is_waited_for(tmp_path: Path) -> None:
    first = Writer(tmp_path / "r", HEAD)
    if not os.fork():
        time.sleep(0.3)  # shares the lock, as a child does between its fork and its program
        os._exit(0)
    first.__exit__(None, None, None)
    with Writer(tmp_path / "r", HEAD):
        pass
    os.wait()


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"finished_at": NOW}, "^r is finished: see it with `race report r`$"),
        ({"seed": 4}, "has another race of that name: try again$"),
    ],
)
def test_a_race_that_another_harness_changed_meanwhile_is_left_as_it_is(
    there: dict[str, object], told: str, tmp_path: Path
) -> None:
    with Writer(tmp_path / "r", replace(HEAD, **there)) as writer:
        writer.add(CELL)
    with pytest.raises(RaceError, match=told):
        Writer(tmp_path / "r", HEAD)
    assert load(tmp_path / "r").head == replace(HEAD, **there)
