"""Reads ``postmaster.pid``, the file in which a PostgreSQL server describes itself."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import List, Optional

PROBE_SECONDS = 0.1
# The signals that end a server, each with the seconds to wait: first orderly, then harder.
STOP_SECONDS = ((signal.SIGINT, 3.0), (signal.SIGQUIT, 1.0), (signal.SIGKILL, 1.0))


def is_ready(data: Path, pid: int) -> bool:
    """Return whether the server with this process id has written that it is ready."""
    lines = _lines(data)
    return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def server_of(data: Path) -> Optional[int]:
    """Return the process id of the server on the data; None if there is none."""
    pid = _noted(data)
    return pid if pid is not None and _serves(pid, data) else None


def stale_pid(data: Path) -> Optional[int]:
    """Return the process id in the file if no such server runs, since it was killed; else None."""
    return None if server_of(data) else _noted(data)


def end_leftover(data: Path) -> None:
    """End a server that was left on the data when its supervisor was killed."""
    pid = server_of(data)
    for number, seconds in STOP_SECONDS:
        deadline = time.monotonic() + seconds
        while pid is not None and _serves(pid, data):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
                os.kill(pid, signal.SIGCONT)
            if time.monotonic() > deadline:
                break
            time.sleep(PROBE_SECONDS)


def _noted(data: Path) -> Optional[int]:
    lines = _lines(data)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _lines(data: Path) -> List[str]:
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _serves(pid: int, data: Path) -> bool:
    """Return whether that process is a server on the data."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"postgres") and os.fsencode(str(data)) in words
