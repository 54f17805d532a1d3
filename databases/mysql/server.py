"""A private MariaDB: the system's ``mariadbd`` on data and a Unix socket of the project's own.

Only the programs are the system's: no configuration file is read (``--no-defaults``), and a server
that the system runs is neither asked nor touched. Debian's ``mariadb-server-core`` and
``mariadb-client-core`` have the programs without such a server.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Optional
from urllib.parse import urlencode

from databases.database import DatabaseError, Running
from databases.home import socket_folder
from databases.locks import locked
from databases.process import Server, remove
from runtime.child import dies_with_parent

# The installer is a script, which runs the last.
SERVER, INSTALLER, _ = PROGRAMS = ("mariadbd", "mariadb-install-db", "my_print_defaults")
PACKAGES = "mariadb-server-core mariadb-client-core"
# Where servers are, which are in few users' PATH.
PLACES = "/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin"

VERSION_SECONDS = 5.0
INIT_SECONDS = 30.0
START_SECONDS = 25.0
STOP_SECONDS = 10.0
# Of its greeting, behind the packet's header.
PROTOCOL = 10

# Of the settings below, what keeps the installer from waiting for the disk.
INSTALLING = ("--innodb-flush-method=nosync", "--innodb-doublewrite=OFF")
SETTINGS = {
    # As durable as the private PostgreSQL: a commit is with the kernel before it is acknowledged,
    # so it survives the death of the database, not that of the machine. Nothing waits for the disk.
    "innodb_flush_log_at_trx_commit": "2",
    "innodb_flush_method": "nosync",
    "innodb_doublewrite": "OFF",
    # PostgreSQL's default too; with MariaDB's own, rows between those that are read are locked.
    "transaction_isolation": "READ-COMMITTED",
    # Bounds the recovery after a kill.
    "innodb_log_file_size": "128M",
    "max_connections": "200",
    "innodb_buffer_pool_size": "128M",
    "innodb_buffer_pool_dump_at_shutdown": "OFF",
    "innodb_buffer_pool_load_at_startup": "OFF",
    "character_set_server": "utf8mb4",
    "skip_networking": "ON",
    "skip_name_resolve": "ON",
    # A probe that says nothing is nothing to write of.
    "log_warnings": "1",
}


def program(name: str) -> Optional[str]:
    """Where the program is; None where it is missing."""
    return shutil.which(name) or shutil.which(name, path=PLACES)


def version() -> Optional[str]:
    """Of the system's MariaDB: "10.11.6"; None without one."""
    found = program(SERVER)
    if found is None:
        return None
    try:
        said = subprocess.check_output(
            [found, "--no-defaults", "--version"], timeout=VERSION_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return None
    # "mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
    return said.decode().partition(" Ver ")[2].partition("-MariaDB")[0].strip()


def start(home: Path) -> Running:
    """Start MariaDB on the data in ``home``; the same folder has the same URL.

    Raises DatabaseError with one line within INIT_SECONDS + START_SECONDS. The process dies with
    the one that started it. The socket is in a folder of its owner's, who is its root and has no
    password.
    """
    log = home / "mariadb.log"
    (home / "tmp").mkdir(mode=0o700, exist_ok=True)
    _initialise(home, log)
    address = socket_folder(home) / "mariadb.sock"
    remove(address)
    process = _spawn(home, address, log)
    server = Server("MariaDB", process, home, address, log, STOP_SECONDS)
    server.wait(_is_greeting, START_SECONDS)
    url = "mysql://root@/?" + urlencode({"unix_socket": str(address)})
    return Running(url, process.pid, server.end)


def _initialise(home: Path, log: Path) -> None:
    """The system tables, once; the mark in the folder says that it got to its end.

    The installer's processes share its lock: what is left of one whose supervisor was killed is
    waited for.
    """
    mark, data = home / "initialised", home / "data"
    if mark.exists() and (data / "mysql").exists():
        return
    deadline = time.monotonic() + INIT_SECONDS
    with locked(home / "install.lock", INIT_SECONDS) as lock:
        shutil.rmtree(str(data), ignore_errors=True)
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if _install(home, log, lock, deadline - time.monotonic()) == 0:
                mark.touch()
                return
    raise DatabaseError(f"{INSTALLER} failed: see {log}")


def _install(home: Path, log: Path, lock: int, seconds: float) -> int:
    """The installer's exit status; none of its processes outlives its time.

    It is not told of a user, not even as root: to that user it would give a folder of the system's
    MariaDB as well.
    """
    command = [*_command(INSTALLER, home), "--auth-root-authentication-method=normal"]
    command += ["--skip-test-db", "--skip-name-resolve", *INSTALLING]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=str(home),
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(lock,),
            start_new_session=True,
            preexec_fn=dies_with_parent(signal.SIGKILL),  # noqa: PLW1509  as below
        )
    try:
        return process.wait(seconds)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def _spawn(home: Path, address: Path, log: Path) -> subprocess.Popen[bytes]:
    command = [*_command(SERVER, home), f"--socket={address}", f"--pid-file={home / 'mariadb.pid'}"]
    if os.geteuid() == 0:
        # Only where it is named does it run as root.
        command.append("--user=root")
    command += [f"--{name.replace('_', '-')}={value}" for name, value in SETTINGS.items()]
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=str(home),
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # SIGKILL ends a stopped process too, and the log of changes is the kernel's by then.
            # The supervisor has no threads that could hold a lock at the fork.
            preexec_fn=dies_with_parent(signal.SIGKILL),  # noqa: PLW1509
        )


def _command(name: str, home: Path) -> List[str]:
    """A program on the data."""
    return [program(name) or name, "--no-defaults", f"--datadir={home / 'data'}"]


def _environment(home: Path) -> Dict[str, str]:
    """Without what would be a setting; temporary files in the database's own folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MYSQL_", "MARIADB_"))}
    return {**kept, "TMPDIR": str(home / "tmp")}


def _is_greeting(said: bytes) -> bool:
    return len(said) > 4 and said[4] == PROTOCOL
