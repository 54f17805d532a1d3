"""Files are there as a whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from locustfiles.run import files as locust_files
from race.commands import output
from race.errors import RaceError
from race.saved.files import reserve
from runtime.files import write_atomically


def full(descriptor: int) -> None:
    """Raise the error of fsync on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old and long")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", b"new")
    write_atomically(tmp_path / "other", b"new")
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "other", "real"]


def test_a_file_that_cannot_be_written_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    with pytest.raises(OSError, match="No space left"):
        locust_files.write_atomically(path, "new")
    with pytest.raises(RaceError, match=r"^cannot write .*x: No space left on device$"):
        output.write(path, "new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_what_is_no_file_is_written_as_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(tmp_path / "pipe", b"told")
        assert os.read(reader, 9) == b"told"
        assert os.listdir(tmp_path) == ["pipe"]
    finally:
        os.close(reader)


def test_room_does_not_show(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.write(b"a")
        file.flush()
        reserve(file.fileno(), 1 << 16)
        found = os.fstat(file.fileno())
        assert found.st_size == 1
        if found.st_blocks * 512 < 1 << 16:
            pytest.skip("this file system keeps no room")
