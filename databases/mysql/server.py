"""A private MariaDB: the system's ``mariadbd`` on a Unix socket, with data of its own."""

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

from databases.account import Account, account, home_of, identity, make_folder
from databases.database import DatabaseError, Running
from databases.home import socket_folder
from databases.locks import locked
from databases.process import ServerProcess, environment_without, remove, spawn, version_text
from databases.timeouts import TIMEOUTS
from runtime.paths import system

# The installer is a script that runs the last of them.
SERVER, INSTALLER, _ = PROGRAMS = ("mariadbd", "mariadb-install-db", "my_print_defaults")
PACKAGES = "mariadb-server-core mariadb-client-core"
# Folders with servers, which are in the PATH of few users.
SYSTEM_FOLDERS = "/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin"

# The fifth byte of its greeting, behind the header of the packet.
PROTOCOL = 10

# Those of the settings below that keep the installer from waiting for the disk.
INSTALLING = ("--innodb-flush-method=nosync", "--innodb-doublewrite=OFF")
SETTINGS = {
    # As durable as the private PostgreSQL: the kernel has a commit before it is acknowledged, so it
    # survives the death of the database, not that of the machine. Nothing waits for the disk.
    "innodb_flush_log_at_trx_commit": "2",
    "innodb_flush_method": "nosync",
    "innodb_doublewrite": "OFF",
    # PostgreSQL's default. MariaDB's own would also lock rows between those that are read.
    "transaction_isolation": "READ-COMMITTED",
    # This bounds the time of the recovery after a kill.
    "innodb_log_file_size": "128M",
    "max_connections": "200",
    "innodb_buffer_pool_size": "128M",
    "innodb_buffer_pool_dump_at_shutdown": "OFF",
    "innodb_buffer_pool_load_at_startup": "OFF",
    "character_set_server": "utf8mb4",
    "skip_networking": "ON",
    "skip_name_resolve": "ON",
    # More warnings would log every probe of the socket.
    "log_warnings": "1",
}


def program(name: str) -> Optional[str]:
    """Return the path of a program; None if it is missing."""
    return shutil.which(name) or shutil.which(name, path=SYSTEM_FOLDERS)


def missing() -> Optional[str]:
    """Return the first program that is missing, with the command that installs it, or None."""
    lacking = [name for name in PROGRAMS if program(name) is None]
    return f"no {lacking[0]}: {system(PACKAGES)}" if lacking else None


def version() -> Optional[str]:
    """Return the version of the system's MariaDB, such as "10.11.6"; None without one."""
    found = program(SERVER)
    # "mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
    said = version_text([found, "--no-defaults", "--version"]) if found else None
    return said.partition(" Ver ")[2].partition("-MariaDB")[0].strip() if said else None


def start(folder: Path, changes: Optional[Dict[str, str]] = None) -> Running:
    """Start MariaDB on the data of ``folder``, always with the same URL.

    Raises DatabaseError with one line. The socket is in a folder of its owner, who is MariaDB's
    root and has no password. `changes` replace SETTINGS, or stand beside them.
    """
    user = account()
    home, log = home_of(folder, user), folder / "mariadb.log"
    make_folder(home / "tmp", user)
    _initialise(folder, home, user, log)
    address = socket_folder(home) / "mariadb.sock"
    remove(address)
    command = [*_command(SERVER, home), f"--socket={address}", f"--pid-file={home / 'mariadb.pid'}"]
    settings = {**SETTINGS, **(changes or {})}
    command += [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    with log.open("ab") as output:
        process = spawn(command, home, _environment(home), output, **identity(user))
    server = ServerProcess("MariaDB", process, address, log)
    server.wait(lambda said: said[4:5] == bytes([PROTOCOL]))
    url = "mysql://root@/?" + urlencode({"unix_socket": str(address)})
    return Running(url, process.pid, server.end)


def _initialise(folder: Path, home: Path, user: Account, log: Path) -> None:
    """Make the system tables, unless the mark in the folder says that this is done.

    The installer's processes inherit its lock, so that those of an installer whose supervisor was
    killed are waited for.
    """
    mark, data = folder / "initialised", home / "data"
    if mark.exists() and (data / "mysql").exists():
        return
    deadline = time.monotonic() + TIMEOUTS.initialise
    with locked(folder / "install.lock", TIMEOUTS.initialise) as lock:
        shutil.rmtree(str(data), ignore_errors=True)
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if _install(home, user, log, lock, deadline - time.monotonic()) == 0:
                mark.touch()
                return
    raise DatabaseError(f"{INSTALLER} failed: see {log}")


def _install(home: Path, user: Account, log: Path, lock: int, seconds: float) -> int:
    """Run the installer and return its exit status. After that time all its processes are killed.

    The installer is not given a user by name: it would change the owner of a folder of the system's
    MariaDB to that user.
    """
    command = [*_command(INSTALLER, home), "--auth-root-authentication-method=normal"]
    command += ["--skip-test-db", "--skip-name-resolve", *INSTALLING]
    with log.open("ab") as output:
        process = spawn(
            command,
            home,
            _environment(home),
            output,
            pass_fds=(lock,),
            start_new_session=True,
            **identity(user),
        )
    try:
        return process.wait(seconds)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def _command(name: str, home: Path) -> List[str]:
    return [program(name) or name, "--no-defaults", f"--datadir={home / 'data'}"]


def _environment(home: Path) -> Dict[str, str]:
    return {**environment_without("MYSQL_", "MARIADB_"), "TMPDIR": str(home / "tmp")}
