"""A private PostgreSQL from the wheel, a child process that listens on a Unix socket."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Optional
from urllib.parse import quote

from databases.account import Account, account, home_of, identity
from databases.database import DatabaseError, Running, TcpEndpoint
from databases.home import socket_folder
from databases.postgres.postmaster import STOP_SECONDS, end_leftover, is_ready, stale_pid
from databases.postgres.programs import found, programs_for
from databases.process import environment_without, spawn, version_text
from databases.timeouts import TIMEOUTS

PROBE_SECONDS = 0.01
# The name of the socket contains a port, though nothing listens there.
PORT = 5432
# A file in the private folder: `initdb` has ended well.
MARK = "initialised"

SETTINGS = {
    # As durable as Tarantool with wal_mode = "write": the kernel has a commit before it is
    # acknowledged, so it survives the death of the database, not that of the machine.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "on",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # This bounds the time of the recovery after a kill.
    "max_wal_size": "256MB",
    "max_connections": "400",  # a race has a pool of ten for each of some twenty servers
    "shared_buffers": "128MB",
    "autovacuum": "on",
    # The site's hot tables are rewritten within seconds and would grow in the default minute.
    "autovacuum_naptime": "5s",
    "listen_addresses": "",
    "log_checkpoints": "off",
}


def start(
    folder: Path, endpoint: Optional[TcpEndpoint] = None, changes: Optional[Dict[str, str]] = None
) -> Running:
    """Start PostgreSQL for the private folder, always with the same URL.

    With an `endpoint` it also listens there, where users need a password. `changes` replace
    SETTINGS, or stand beside them. Raises DatabaseError with one line; after a kill, the recovery
    may take ``TIMEOUTS.recovery``.
    """
    user = account()
    home = home_of(folder, user)
    programs = programs_for(user)
    sockets = socket_folder(home)
    log = folder / "postgres.log"
    end_leftover(home / "data")
    _initialise(folder, home, programs, user)
    port = endpoint.port if endpoint else PORT
    settings = {**SETTINGS, **(changes or {}), "port": str(port)}
    if endpoint is not None:
        settings.update(_listening(home, endpoint.host))
    command = [str(programs / "postgres"), "-D", str(home / "data"), "-k", str(sockets)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    process = _launch(command, home / "data", log, user)
    where = f"host={quote(str(sockets))}&port={port}"
    url = f"postgresql://postgres@/postgres?{where}"
    return Running(url, process.pid, lambda: _stop(process))


def initialise(folder: Path) -> None:
    """Make the data of a private folder, if there is none. DatabaseError if that fails."""
    user = account()
    _initialise(folder, home_of(folder, user), programs_for(user), user)


def version() -> Optional[str]:
    """Return the version of the server, such as "18.1"; None without one."""
    folder = found()
    said = version_text([str(folder / "postgres"), "--version"]) if folder else None
    # "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
    return said.split()[2] if said else None


def _initialise(folder: Path, home: Path, programs: Path, user: Account) -> None:
    """Run ``initdb``, unless the mark in the folder says that this is done."""
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
            env=environment_without("PG"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=TIMEOUTS.initialise,
            **identity(user),
        )
        if code == 0:
            mark.touch()
            return
    raise DatabaseError(f"PostgreSQL's initdb failed: see {log}")


def _listening(home: Path, host: str) -> Dict[str, str]:
    """Return the settings of a server on TCP, where `initdb` would let users in unchecked."""
    rules = home / "tcp.hba"
    rules.write_text("local all all trust\nhost all all all scram-sha-256\n")
    return {"listen_addresses": host, "hba_file": str(rules)}


def _launch(command: List[str], data: Path, log: Path, user: Account) -> subprocess.Popen[bytes]:
    """Start the server and wait until it answers.

    A server ends at once while one that was just killed still holds shared memory, and is started
    again. It takes long to recover after a kill; a restart would begin the recovery anew.
    """
    began = time.monotonic()
    while time.monotonic() < began + TIMEOUTS.retry:
        environment = environment_without("PG")
        stale = stale_pid(data)
        if stale is not None:
            # The data names a dead server whose process id now belongs to another process. With
            # this variable, meant for `pg_ctl`, PostgreSQL does not take that one for a server.
            environment["PG_GRANDPARENT_PID"] = str(stale)
        with log.open("ab") as output:
            process = spawn(
                command, Path("/"), environment, output, signal.SIGINT, **identity(user)
            )
        if _answers(process, data, began + TIMEOUTS.recovery):
            return process
        _stop(process)
        time.sleep(10 * PROBE_SECONDS)
    raise DatabaseError(f"PostgreSQL did not start: see {log}")


def _answers(process: subprocess.Popen[bytes], data: Path, deadline: float) -> bool:
    """Return whether the server is ready before it ends and before the deadline."""
    try:
        while process.poll() is None and time.monotonic() < deadline:
            if is_ready(data, process.pid):
                return True
            time.sleep(PROBE_SECONDS)
    except BaseException:  # such as SystemExit, which a handler of SIGTERM raises
        _stop(process)
        raise
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    for number, seconds in STOP_SECONDS:
        if process.poll() is not None:
            return
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
