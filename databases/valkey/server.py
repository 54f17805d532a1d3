"""A private Valkey or Redis: the system's program on a Unix socket, with data of its own."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Optional, Tuple
from urllib.parse import quote

from databases.account import Account, account, home_of, identity, make_folder
from databases.database import Running, TcpEndpoint
from databases.home import socket_folder
from databases.process import ServerProcess, remove, spawn, version_text
from runtime.paths import system

# The server, by the name that it must be called, and the files that have it. Debian's packages of
# tools have it as the checker of its files, without a server of the system.
PROGRAMS = (
    ("valkey-server", ("valkey-server", "valkey-check-rdb")),
    ("redis-server", ("redis-server", "redis-check-rdb")),
)
SYSTEM_FOLDERS = "/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin"

SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    # As durable as the private PostgreSQL: the kernel has a change before it is acknowledged, so it
    # survives the death of the database, not that of the machine. Nothing waits for the disk.
    "appendonly": "yes",
    "appendfsync": "no",
    "save": "",
    # Refuse changes when it is full; what the site keeps is bounded, and needs a quarter of it.
    "maxmemory": "512mb",
    "maxmemory-policy": "noeviction",
}


def program() -> Optional[Tuple[str, str]]:
    """Return the name to call the server by, and its path; None if there is none."""
    for name, files in PROGRAMS:
        for file in files:
            path = shutil.which(file) or shutil.which(file, path=SYSTEM_FOLDERS)
            if path:
                return name, path
    return None


def missing() -> Optional[str]:
    """Return that the server is missing, with the command that installs it, or None."""
    if program():
        return None
    return f"no valkey-server, no redis-server: {system('redis-tools')}"


def version() -> Optional[str]:
    """Return the version of the system's server, such as "7.0.15"; None without one."""
    found = program()
    if found is None:
        return None
    # "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1234"
    said = version_text([found[0], "--version"], executable=found[1])
    number = re.search(r"v=(\S+)", said or "")
    return number.group(1) if number else None


def start(folder: Path, endpoint: Optional[TcpEndpoint] = None) -> Running:
    """Start the server on the data of ``folder``, always with the same URL.

    Raises DatabaseError with one line. The socket is in a folder of its owner, and needs no
    password; with an ``endpoint`` the server also listens there, and wants one.
    """
    user = account()
    home, log = home_of(folder, user), folder / "valkey.log"
    data = home / "data"
    make_folder(data, user)
    address = socket_folder(home) / "valkey.sock"
    remove(address)
    name, path = program() or PROGRAMS[0]
    command = [name, "--unixsocket", str(address), "--dir", str(data)]
    settings = {
        **SETTINGS,
        **({"bind": endpoint.host, "port": str(endpoint.port)} if endpoint else {}),
    }
    for setting, value in settings.items():
        command += [f"--{setting}", value]
    if endpoint:
        command.insert(1, str(_with_password(home / "password.conf", endpoint.password, user)))
    with log.open("wb") as output:
        process = spawn(
            command, data, dict(os.environ), output, executable=str(path), **identity(user)
        )
    server = ServerProcess("Valkey", process, address, log)
    # With a password it answers that it wants one.
    server.wait(lambda said: said.startswith((b"+PONG", b"-NOAUTH")), b"PING\r\n")
    where = f":{endpoint.password}@{endpoint}" if endpoint else quote(str(address))
    return Running(f"valkey://{where}", process.pid, server.end)


def _with_password(file: Path, password: str, user: Account) -> Path:
    """Write the password into a file of the server's, because everybody can read its command."""
    file.write_text(f"requirepass {password}\n")
    file.chmod(0o600)
    if user is not None:
        os.chown(str(file), user.pw_uid, user.pw_gid)
    return file
