"""A private Tarantool: the system's ``tarantool`` on a Unix socket that only its owner reaches."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Optional
from urllib.parse import quote

from databases.database import Running
from databases.home import socket_folder
from databases.process import Server, remove
from runtime.child import dies_with_parent

VERSION_SECONDS = 5.0
# After a machine's crash a whole log may have to be read.
START_SECONDS = 45.0
# It writes a snapshot first.
STOP_SECONDS = 10.0


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
    data, log = home / "data", home / "tarantool.log"
    data.mkdir(mode=0o700, exist_ok=True)
    address = socket_folder(home) / "tarantool.sock"
    remove(address)
    process = _spawn(program, data, log, address)
    server = Server("Tarantool", process, home, address, log, STOP_SECONDS)
    # The program listens once everything is in place.
    server.wait(_is_greeting, START_SECONDS)
    return Running("tarantool://" + quote(str(address)), process.pid, server.end)


def _spawn(program: Path, data: Path, log: Path, address: Path) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TARANTOOL_", "TT_"))}
    environment["TARANTOOL_LISTEN"] = f"unix/:{address}"
    environment["TARANTOOL_DIR"] = str(data)
    if "TARANTOOL_MEMORY" in os.environ:
        environment["TARANTOOL_MEMORY"] = os.environ["TARANTOOL_MEMORY"]
    with log.open("wb") as output:
        return subprocess.Popen(
            ["tarantool", str(program)],
            cwd=str(data),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # SIGKILL ends a stopped process too, and the log of changes is the kernel's by then.
            # The supervisor has no threads that could hold a lock at the fork.
            preexec_fn=dies_with_parent(signal.SIGKILL),  # noqa: PLW1509
        )


def _is_greeting(said: bytes) -> bool:
    return said.startswith(b"Tarantool")
