"""Disks that are soon full."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

FILL_TRIES = 50


@contextlib.contextmanager
def disk(place: Path, size: int) -> Iterator[None]:
    """Mount a file system of so many bytes; skip the test where that is not allowed."""
    place.mkdir(parents=True, exist_ok=True)
    try:
        _mount("-t", "tmpfs", "-o", f"size={size}", "faults", str(place))
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=20)


@contextlib.contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def resize(place: Path, size: int) -> None:
    """Give the file system another size, not below what is used."""
    _mount("-o", f"remount,size={size}", str(place))


def fill(place: Path) -> None:
    """Leave no room on the file system, which others may still write to."""
    for _ in range(FILL_TRIES):
        with contextlib.suppress(subprocess.CalledProcessError):  # more is used by now
            return resize(place, used(place))
    raise AssertionError(f"{place} cannot be filled")


def used(place: Path) -> int:
    """Return the bytes in use on the file system."""
    found = os.statvfs(place)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True, timeout=20)
