"""Places for private databases that are thrown away."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from pathlib import Path
from typing import Iterator

from databases import copies

LOCK = "lock"


@contextlib.contextmanager
def own_place(folder: Path) -> Iterator[Path]:
    """Make a folder for the length of a `with`, locked meanwhile, and remove what those that were
    killed have left beside it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        with contextlib.suppress(OSError), (path / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            copies.remove_left(path)
    place = Path(tempfile.mkdtemp(dir=str(folder)))
    try:
        with (place / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield place
    finally:
        shutil.rmtree(str(place), ignore_errors=True)
