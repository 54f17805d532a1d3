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
from urllib.parse import quote

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
from databases.postgres.homes import MARK
from databases.postgres.postmaster import STOP_SECONDS, end_leftover, gone, is_ready
from databases.process import remove
from runtime.child import dies_with_parent

VERSION_SECONDS = 5.0
INIT_SECONDS = 12.0
# How long one that does not stay is tried again.
RETRY_SECONDS = 7.0
# What is to recover is bounded by max_wal_size, how fast it goes by the disk.
RECOVERY_SECONDS = 600.0
PROBE_SECONDS = 0.01
# It listens nowhere but its socket has the number in its name.
PORT = 5432

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
    Raises DatabaseError with one line within INIT_SECONDS + RETRY_SECONDS; where it recovers what
    one that was killed has left, within RECOVERY_SECONDS. The process dies with the one that
    started it.
    """
    user = account()
    home = home_of(folder, user)
    programs = programs_for(user)
    # Root's homes have plain names, and the system user makes none of the short ones.
    sockets = home if user else socket_folder(home)
    log = folder / "postgres.log"
    end_leftover(home / "data")
    _initialise(folder, home, programs, user)
    settings = {**SETTINGS, "port": str(port or PORT)}
    if port is not None:
        settings.update(_listening(home))
    process = _launch(home / "data", sockets, programs, log, user, settings)
    where = f"host={quote(str(sockets))}&port={port or PORT}"
    url = f"postgresql://postgres@/postgres?{where}"
    return Running(url, process.pid, lambda: _end(process, home, sockets))


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
    mark, data = folder / MARK, home / "data"
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
            env=_environment(),
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


def _listening(home: Path) -> Dict[str, str]:
    """Settings for TCP: its users have passwords, whatever `initdb` allowed there."""
    rules = home / "tcp.hba"
    rules.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
    return {"listen_addresses": "127.0.0.1", "hba_file": str(rules)}


def _launch(
    data: Path,
    sockets: Path,
    programs: Path,
    log: Path,
    user: Account,
    settings: Dict[str, str],
) -> subprocess.Popen[bytes]:
    """Start the server and wait until it answers.

    It ends at once where one that was just killed still holds on: then it is tried again. It takes
    long where that one left much to recover; ended meanwhile, it would begin with that anew.
    """
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(sockets)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    began = time.monotonic()
    while time.monotonic() < began + RETRY_SECONDS:
        process = _spawn(command, log, user, gone(data))
        while process.poll() is None and time.monotonic() < began + RECOVERY_SECONDS:
            if is_ready(data, process.pid):
                return process
            time.sleep(PROBE_SECONDS)
        _stop(process)
        time.sleep(10 * PROBE_SECONDS)
    raise DatabaseError(f"PostgreSQL did not start: see {log}")


def _spawn(
    command: List[str], log: Path, user: Account, before: Optional[int]
) -> subprocess.Popen[bytes]:
    """``before``: the server that was killed, see ``postmaster.gone``."""
    environment = _environment()
    if before is not None:
        # PostgreSQL takes this for one that is no server, as where `pg_ctl` starts it.
        environment["PG_GRANDPARENT_PID"] = str(before)
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd="/",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # The supervisor has no threads that could hold a lock at the fork.
            preexec_fn=dies_with_parent(signal.SIGINT),  # noqa: PLW1509
            **identity(user),
        )


def _environment() -> Dict[str, str]:
    """Without what would be a setting."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def _end(process: subprocess.Popen[bytes], home: Path, sockets: Path) -> None:
    """Leave nothing in a folder for temporary files."""
    _stop(process)
    if sockets != home:
        for left in sockets.glob(".s.PGSQL.*"):
            remove(left)
        with contextlib.suppress(OSError):
            sockets.rmdir()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server: orderly first, then harder, within five seconds."""
    for number, seconds in STOP_SECONDS:
        if process.poll() is not None:
            return
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
