"""Temporary folders for private databases, which the next race removes if this one was killed."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from pathlib import Path
from typing import Iterator

from databases import copies

LOCK, FRESH = "lock", "lock.new"


@contextlib.contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """Make a folder for the length of a `with`, locked meanwhile, and remove what those that were
    killed have left beside it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        with contextlib.suppress(OSError), (path / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            copies.remove_left(path)
    own = Path(tempfile.mkdtemp(dir=str(folder)))
    try:
        with (own / FRESH).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            (own / FRESH).rename(own / LOCK)  # nobody finds a lock that is not held yet
            yield own
    finally:
        shutil.rmtree(str(own), ignore_errors=True)
