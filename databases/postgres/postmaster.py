"""What the file ``postmaster.pid`` says of the server on some data, and who it is about."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import List, Optional

PROBE_SECONDS = 0.1
STOP_SECONDS = ((signal.SIGINT, 3.0), (signal.SIGQUIT, 1.0), (signal.SIGKILL, 1.0))


def is_ready(data: Path, pid: int) -> bool:
    """Whether this very server says so in the file that ``pg_ctl`` reads, too."""
    lines = _lines(data)
    return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def server_of(data: Path) -> Optional[int]:
    """The process of the server that runs on the data; None where none does."""
    pid = _noted(data)
    return pid if pid is not None and _serves(pid, data) else None


def gone(data: Path) -> Optional[int]:
    """What the file calls the server though it is none: it was killed, and the number is anybody's
    by now. None where the file is right or is not there."""
    return None if server_of(data) else _noted(data)


def end_leftover(data: Path) -> None:
    """End a server on the same data whose owner was killed; it is not ours to talk to."""
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
    """Whether that process is a server on the data."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"postgres") and os.fsencode(str(data)) in words
