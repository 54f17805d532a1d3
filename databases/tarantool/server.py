"""A private Tarantool: the system's ``tarantool`` on a Unix socket that only its owner reaches."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Optional
from urllib.parse import quote

from databases.database import DatabaseError, Running
from databases.home import socket_folder
from runtime.child import dies_with_parent

VERSION_SECONDS = 5.0
# After a machine's crash a whole log may have to be read.
START_SECONDS = 45.0
# It writes a snapshot first.
STOP_SECONDS = 10.0
PROBE_SECONDS = 0.02


def version() -> Optional[str]:
    """Of the system's Tarantool: "2.6.0"; None without one."""
    try:
        said = subprocess.check_output(["tarantool", "--version"], timeout=VERSION_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    # "Tarantool 2.6.0-0-g47aa4e0"
    return said.decode().split()[1]


def start(home: Path, program: Path) -> Running:
    """Start Tarantool with a program on the data in ``home``; the same address every time.

    The program listens where TARANTOOL_LISTEN says, last of all, and keeps its data in
    TARANTOOL_DIR; TARANTOOL_MEMORY limits its memory. DatabaseError with one line.
    """
    data = home / "data"
    data.mkdir(mode=0o700, exist_ok=True)
    address = socket_folder(home) / "tarantool.sock"
    with contextlib.suppress(FileNotFoundError):
        address.unlink()
    process = _spawn(program, home, data, address)
    try:
        _wait_until_it_greets(process, address, home / "tarantool.log")
    except BaseException:
        _stop(process)
        raise
    url = "tarantool://" + quote(str(address))
    return Running(url, process.pid, lambda: _end(process, home, address))


def _spawn(program: Path, home: Path, data: Path, address: Path) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TARANTOOL_", "TT_"))}
    environment["TARANTOOL_LISTEN"] = f"unix/:{address}"
    environment["TARANTOOL_DIR"] = str(data)
    if "TARANTOOL_MEMORY" in os.environ:
        environment["TARANTOOL_MEMORY"] = os.environ["TARANTOOL_MEMORY"]
    with (home / "tarantool.log").open("wb") as log:
        return subprocess.Popen(
            ["tarantool", str(program)],
            cwd=str(data),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # SIGKILL ends a stopped process too, and the log of changes is the kernel's by then.
            # The keeper has no threads that could hold a lock at the fork.
            preexec_fn=dies_with_parent(signal.SIGKILL),  # noqa: PLW1509
        )


def _wait_until_it_greets(process: subprocess.Popen[bytes], address: Path, log: Path) -> None:
    """The program listens once everything is in place."""
    deadline = time.monotonic() + START_SECONDS
    while not _greets(address):
        if process.poll() is not None:
            raise DatabaseError(f"Tarantool did not start: {_last_line(log)} (more in {log})")
        if time.monotonic() > deadline:
            raise DatabaseError(f"Tarantool did not start within {START_SECONDS:.0f} s: see {log}")
        time.sleep(PROBE_SECONDS)


def _greets(address: Path) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        probe.connect(str(address))
        return probe.recv(9) == b"Tarantool"
    return False


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def _end(process: subprocess.Popen[bytes], home: Path, address: Path) -> None:
    """Leave nothing outside of the folder: the socket may be in one for temporary files."""
    _stop(process)
    with contextlib.suppress(OSError):
        address.unlink()
        if address.parent != home:
            address.parent.rmdir()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM lets Tarantool close its log of changes; SIGCONT, in case it was stopped before."""
    if process.poll() is None:
        process.terminate()
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
