"""A private MariaDB: the system's ``mariadbd`` on data and a Unix socket of the project's own.

Only the programs are the system's: no configuration file is read (``--no-defaults``), and a server
that the system runs is neither asked nor touched. Debian's ``mariadb-server-core`` has the programs
without such a server.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Dict, List, Optional
from urllib.parse import urlencode

from databases.database import DatabaseError, Running
from databases.home import socket_folder
from databases.process import end, remove, wait_for_greeting
from runtime.child import dies_with_parent

SERVER, INSTALLER = PROGRAMS = ("mariadbd", "mariadb-install-db")
# Where servers are, which are in few users' PATH.
PLACES = "/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin"

VERSION_SECONDS = 5.0
INIT_SECONDS = 30.0
START_SECONDS = 25.0
STOP_SECONDS = 10.0
# Of its greeting, behind the packet's header.
PROTOCOL = 10

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
    wait_for_greeting("MariaDB", process, address, _is_greeting, log, START_SECONDS)
    url = "mysql://root@/?" + urlencode({"unix_socket": str(address)})
    return Running(url, process.pid, lambda: end(process, STOP_SECONDS, home, address))


def _initialise(home: Path, log: Path) -> None:
    """The system tables, once; the mark in the folder says that it got to its end."""
    mark, data = home / "initialised", home / "data"
    if mark.exists() and (data / "mysql").exists():
        return
    shutil.rmtree(str(data), ignore_errors=True)
    command = [*_command(INSTALLER, home), "--auth-root-authentication-method=normal"]
    command += ["--skip-test-db", "--skip-name-resolve"]
    with log.open("ab") as output, contextlib.suppress(OSError, subprocess.TimeoutExpired):
        code = subprocess.call(
            command,
            cwd=str(home),
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=INIT_SECONDS,
        )
        if code == 0:
            mark.touch()
            return
    raise DatabaseError(f"{INSTALLER} failed: see {log}")


def _spawn(home: Path, address: Path, log: Path) -> subprocess.Popen[bytes]:
    command = [*_command(SERVER, home), f"--socket={address}", f"--pid-file={home / 'mariadb.pid'}"]
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
            # The keeper has no threads that could hold a lock at the fork.
            preexec_fn=dies_with_parent(signal.SIGKILL),  # noqa: PLW1509
        )


def _command(name: str, home: Path) -> List[str]:
    """A program on the data. Only named as its user does MariaDB run as root."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    return [program(name) or name, "--no-defaults", f"--datadir={home / 'data'}", f"--user={user}"]


def _environment(home: Path) -> Dict[str, str]:
    """Without what would be a setting; temporary files in the database's own folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MYSQL_", "MARIADB_"))}
    return {**kept, "TMPDIR": str(home / "tmp")}


def _is_greeting(said: bytes) -> bool:
    return len(said) > 4 and said[4] == PROTOCOL
