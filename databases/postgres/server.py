"""A private PostgreSQL from the wheel: initialised once, then a child process on a Unix socket."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Optional

from databases.database import DatabaseError, Running
from databases.home import socket_folder
from databases.postgres.account import (
    PROGRAMS,
    Account,
    account,
    home_of,
    identity,
    programs_for,
    wheel,
)
from runtime.child import dies_with_parent

VERSION_SECONDS = 5.0
INIT_SECONDS = 12.0
READY_SECONDS = 7.0
STOP_SECONDS = ((signal.SIGINT, 3.0), (signal.SIGQUIT, 1.0), (signal.SIGKILL, 1.0))
PROBE_SECONDS = 0.01

SETTINGS = {
    # As durable as Tarantool with wal_mode = "write": a commit is with the kernel before it is
    # acknowledged, so it survives the death of the database, not that of the machine.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "on",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # Bounds the recovery after a kill.
    "max_wal_size": "256MB",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "autovacuum": "on",
    # The site's hot tables turn over in seconds; a look once a minute would let them swell.
    "autovacuum_naptime": "5s",
    "listen_addresses": "",
    "log_checkpoints": "off",
}


def start(folder: Path, port: Optional[int] = None) -> Running:
    """Start PostgreSQL for the private folder; the same folder has the same URL.

    With a `port` it listens on 127.0.0.1 too, where nobody is let in without a password.
    Raises DatabaseError with one line within INIT_SECONDS + READY_SECONDS. The process dies with
    the one that started it.
    """
    user = account()
    home = home_of(folder, user)
    programs = programs_for(user)
    sockets = home if user else socket_folder(home)
    log = folder / "postgres.log"
    _end_leftover(home / "data")
    _initialise(folder, home, programs, user)
    settings = SETTINGS if port is None else {**SETTINGS, **_listening(home, port)}
    process = _launch(home / "data", sockets, programs, log, user, settings)
    where = f"host={sockets}" if port is None else f"host={sockets}&port={port}"
    url = f"postgresql://postgres@/postgres?{where}"
    return Running(url, process.pid, lambda: _stop(process))


def version() -> Optional[str]:
    """Of the wheel's server: "18.1"; None without the wheel."""
    packages = wheel()
    if packages is None:
        return None
    try:
        said = subprocess.check_output(
            [str(packages / PROGRAMS / "postgres"), "--version"], timeout=VERSION_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.decode().split()[-1]


def _initialise(folder: Path, home: Path, programs: Path, user: Account) -> None:
    """``initdb``, once; the mark in the folder says that it got to its end."""
    mark, data = folder / "initialised", home / "data"
    if mark.exists() and (data / "PG_VERSION").exists():
        return
    shutil.rmtree(str(data), ignore_errors=True)
    command = [str(programs / "initdb"), "--pgdata", str(data), "--username", "postgres"]
    command += ["--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
    log = folder / "postgres.log"
    with log.open("ab") as output, contextlib.suppress(subprocess.TimeoutExpired):
        code = subprocess.call(
            command,
            cwd=str(home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=INIT_SECONDS,
            **identity(user),
        )
        if code == 0:
            mark.touch()
            return
    raise DatabaseError(f"PostgreSQL's initdb failed: see {log}")


def _listening(home: Path, port: int) -> Dict[str, str]:
    """Settings for TCP: its users have passwords, whatever `initdb` allowed there."""
    rules = home / "tcp.hba"
    rules.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
    return {"listen_addresses": "127.0.0.1", "port": str(port), "hba_file": str(rules)}


def _launch(
    data: Path,
    sockets: Path,
    programs: Path,
    log: Path,
    user: Account,
    settings: Dict[str, str],
) -> subprocess.Popen[bytes]:
    """Start the server and wait until it answers. One that was just killed may still hold on."""
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(sockets)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        process = _spawn(command, log, user)
        while process.poll() is None and time.monotonic() < deadline:
            if _is_ready(data, process.pid):
                return process
            time.sleep(PROBE_SECONDS)
        _stop(process)
        time.sleep(10 * PROBE_SECONDS)
    raise DatabaseError(f"PostgreSQL did not start: see {log}")


def _spawn(command: List[str], log: Path, user: Account) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # The keeper has no threads that could hold a lock at the fork.
            preexec_fn=dies_with_parent(signal.SIGINT),  # noqa: PLW1509
            **identity(user),
        )


def _is_ready(data: Path, pid: int) -> bool:
    """Whether this very server says so in the file that ``pg_ctl`` reads, too."""
    lines = _postmaster(data)
    return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _postmaster(data: Path) -> List[str]:
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _end_leftover(data: Path) -> None:
    """End a server on the same data whose owner was killed; it is not ours to talk to."""
    lines = _postmaster(data)
    if not lines or not lines[0].isdigit():
        return
    pid = int(lines[0])
    for number, seconds in STOP_SECONDS:
        deadline = time.monotonic() + seconds
        while _serves(pid, data):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
                os.kill(pid, signal.SIGCONT)
            if time.monotonic() > deadline:
                break
            time.sleep(10 * PROBE_SECONDS)


def _serves(pid: int, data: Path) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return os.fsencode(str(data)) in words


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server: orderly first, then harder, within five seconds."""
    for number, seconds in STOP_SECONDS:
        if process.poll() is not None:
            return
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
