"""Saving: a line on the disk for each cell, a full disk, a torn line, two at once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from race.errors import NotSaved
from race.saved.reader import CELLS_FILE, load
from race.saved.writer import Writer
from tests.support.records import NOW, cell, contender, head

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
