"""Processes that have a mark in their environment, as all have that a marked process starts."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import time
from collections.abc import Iterator
from pathlib import Path

MARK = "TEST_MARK"
# A database that nobody uses any more stays for a moment and then closes its log.
GONE_SECONDS = 15.0


@contextlib.contextmanager
def new_mark() -> Iterator[str]:
    """Yield a value for the variable MARK; no process that has it outlives the block."""
    mark = secrets.token_hex(8)
    try:
        yield mark
    finally:
        for pid in marked(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def marked(mark: str) -> list[int]:
    """Return the processes that have the mark."""
    word, found = f"{MARK}={mark}".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is another user's
            if word in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def wait_until_none_is_left(mark: str) -> None:
    """Wait until the last process with the mark has ended, or fail."""
    deadline = time.monotonic() + GONE_SECONDS
    while found := marked(mark):
        assert time.monotonic() < deadline, f"still there: {sorted(map(command, found))}"
        time.sleep(0.05)


def command(pid: int) -> str:
    """Return the command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return "ended meanwhile"
