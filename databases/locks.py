"""Locks on files. The kernel releases a lock when its last holder ends, in whatever way."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import Iterator

from databases.database import DatabaseError
from databases.timeouts import TIMEOUTS

PROBE_SECONDS = 0.02


@contextlib.contextmanager
def locked(path: Path, seconds: float = TIMEOUTS.lock) -> Iterator[int]:
    """Hold the file's exclusive lock, after waiting so long at most; yield its descriptor."""
    lock = open_lock(path)
    try:
        deadline = time.monotonic() + seconds
        while not try_lock(lock):
            if time.monotonic() > deadline:
                raise DatabaseError(f"Another process has held {path} for {seconds:g} s.")
            time.sleep(PROBE_SECONDS)
        yield lock
    finally:
        os.close(lock)


def open_lock(path: Path) -> int:
    """Return a descriptor to lock. The content of the file has no meaning."""
    return os.open(str(path), os.O_RDWR | os.O_CREAT, 0o600)


def unlock(lock: int) -> None:
    """Release the lock if it is held."""
    fcntl.flock(lock, fcntl.LOCK_UN)


def try_lock(lock: int) -> bool:
    """Take the file's exclusive lock if it is free; return whether it was."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(path: Path) -> bool:
    """Return whether a process holds the exclusive lock. It tries a shared one for a moment."""
    lock = open_lock(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
