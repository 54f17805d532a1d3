"""A database's own process: waited for until it answers, ended within a bounded time."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, NamedTuple

from databases.database import DatabaseError

PROBE_SECONDS = 0.02
GREETING_SECONDS = 1.0


class Server(NamedTuple):
    """A database's own process, which listens on a Unix socket: ``address``, for the data in
    ``home``. It has ``stop_seconds`` to close its log of changes.
    """

    name: str
    process: subprocess.Popen[bytes]
    home: Path
    address: Path
    log: Path
    stop_seconds: float

    def wait(self, is_greeting: Callable[[bytes], bool], seconds: float) -> None:
        """Until it greets; DatabaseError when it ends or takes longer.

        ``is_greeting`` is asked about the first bytes that it sends. It is ended where it fails.
        """
        deadline = time.monotonic() + seconds
        try:
            while not is_greeting(_first_bytes(self.address)):
                if self.process.poll() is not None:
                    said = f"{_last_line(self.log)} (more in {self.log})"
                    raise DatabaseError(f"{self.name} did not start: {said}")
                if time.monotonic() > deadline:
                    late = f"within {seconds:.0f} s: see {self.log}"
                    raise DatabaseError(f"{self.name} did not start {late}")
                time.sleep(PROBE_SECONDS)
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Leave nothing outside of the folder: the socket may be in one for temporary files."""
        stop(self.process, self.stop_seconds)
        remove(self.address)
        if self.address.parent != self.home:
            with contextlib.suppress(OSError):
                self.address.parent.rmdir()


def _first_bytes(address: Path) -> bytes:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(GREETING_SECONDS)
        probe.connect(str(address))
        return probe.recv(16)
    return b""


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


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
