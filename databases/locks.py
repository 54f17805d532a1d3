"""Locks on files. The kernel drops them with their last holder: who was killed counts as gone."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import Iterator

from databases.database import DatabaseError

# Somebody else may be starting the database, or the supervisor stopping it.
LOCK_SECONDS = 90.0
PROBE_SECONDS = 0.02


@contextlib.contextmanager
def locked(path: Path, seconds: float = LOCK_SECONDS) -> Iterator[int]:
    """Hold the file's exclusive lock, waiting for it no longer than that; gives its descriptor."""
    lock = open_lock(path)
    try:
        deadline = time.monotonic() + seconds
        while not try_lock(lock):
            if time.monotonic() > deadline:
                raise DatabaseError(f"{path} is held by another process for too long.")
            time.sleep(PROBE_SECONDS)
        yield lock
    finally:
        os.close(lock)


def open_lock(path: Path) -> int:
    """A descriptor to lock; the file's content means nothing."""
    return os.open(str(path), os.O_RDWR | os.O_CREAT, 0o600)


def unlock(lock: int) -> None:
    """Give up the lock; nothing happens when it is not held."""
    fcntl.flock(lock, fcntl.LOCK_UN)


def try_lock(lock: int) -> bool:
    """Take the file's exclusive lock when it is free."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(path: Path) -> bool:
    """Whether a process holds the exclusive lock; a shared probe never looks like a holder."""
    lock = open_lock(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
