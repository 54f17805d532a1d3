"""A database's own process: waited for until it answers, ended within a bounded time."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable

from databases.database import DatabaseError

PROBE_SECONDS = 0.02
GREETING_SECONDS = 1.0


def wait_for_greeting(
    name: str,
    process: subprocess.Popen[bytes],
    address: Path,
    is_greeting: Callable[[bytes], bool],
    log: Path,
    seconds: float,
) -> None:
    """Until the process greets on its Unix socket; DatabaseError when it ends or takes longer.

    ``is_greeting`` is asked about the first bytes that it sends. It is stopped where it fails.
    """
    deadline = time.monotonic() + seconds
    try:
        while not is_greeting(_first_bytes(address)):
            if process.poll() is not None:
                raise DatabaseError(f"{name} did not start: {_last_line(log)} (more in {log})")
            if time.monotonic() > deadline:
                raise DatabaseError(f"{name} did not start within {seconds:.0f} s: see {log}")
            time.sleep(PROBE_SECONDS)
    except BaseException:
        stop(process, GREETING_SECONDS)
        raise


def _first_bytes(address: Path) -> bytes:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(GREETING_SECONDS)
        probe.connect(str(address))
        return probe.recv(16)
    return b""


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def end(process: subprocess.Popen[bytes], seconds: float, home: Path, address: Path) -> None:
    """Leave nothing outside of the folder: the socket may be in one for temporary files."""
    stop(process, seconds)
    remove(address)
    if address.parent != home:
        with contextlib.suppress(OSError):
            address.parent.rmdir()


def remove(address: Path) -> None:
    """Remove a socket that nobody listens on any more, where there is one."""
    with contextlib.suppress(FileNotFoundError):
        address.unlink()


def stop(process: subprocess.Popen[bytes], seconds: float) -> None:
    """SIGTERM lets it close its log of changes; SIGCONT, in case it was stopped before."""
    if process.poll() is None:
        process.terminate()
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
