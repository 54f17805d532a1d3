"""A private Tarantool: the system's ``tarantool`` on a Unix socket that only its owner reaches."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Optional
from urllib.parse import quote

from databases.account import Account, account, home_of, identity, make_folder
from databases.database import DatabaseError, Running, TcpEndpoint
from databases.home import socket_folder
from databases.process import ServerProcess, environment_without, remove, spawn, version_text
from databases.root_homes import copied
from runtime.paths import ROOT, system

PROGRAM = "tarantool/init.lua"
USER = "site"
# Its last words when it could not read all of its data into its memory.
NO_ROOM = "can't initialize storage: Failed to allocate"


def missing() -> Optional[str]:
    """Return that Tarantool is missing, with the command that installs it, or None."""
    if shutil.which("tarantool"):
        return None
    return f"no tarantool: {system('tarantool')}"


def version() -> Optional[str]:
    """Return the version of the system's Tarantool, such as "2.6.0"; None without one."""
    # "Tarantool 2.6.0-0-g47aa4e0"
    said = version_text(["tarantool", "--version"])
    return said.split()[1] if said else None


def start(folder: Path, endpoint: Optional[TcpEndpoint] = None) -> Running:
    """Start Tarantool with the site's program on the data of ``folder``, always with the same URL.

    It listens on a Unix socket, or at an ``endpoint``, where its user needs a password.

    The program keeps its data in TARANTOOL_DIR, and listens at TARANTOOL_LISTEN once everything is
    ready. TARANTOOL_MEMORY limits its memory. Raises DatabaseError with one line.
    """
    user = account()
    home = home_of(folder, user)
    data, log = home / "data", folder / "tarantool.log"
    make_folder(data, user)
    address = socket_folder(home) / "tarantool.sock"
    remove(address)
    environment = environment_without("TARANTOOL_", "TT_")
    environment["TARANTOOL_LISTEN"] = str(endpoint) if endpoint else f"unix/:{address}"
    environment["TARANTOOL_DIR"] = str(data)
    if endpoint:
        environment.update(TARANTOOL_USER=USER, TARANTOOL_PASSWORD=endpoint.password)
    if "TARANTOOL_MEMORY" in os.environ:
        environment["TARANTOOL_MEMORY"] = os.environ["TARANTOOL_MEMORY"]
    command = ["tarantool", str(_programs(user) / PROGRAM)]
    with log.open("wb") as output:
        process = spawn(command, data, environment, output, **identity(user))
    server = ServerProcess("Tarantool", process, endpoint or address, log)
    try:
        server.wait(lambda said: said.startswith(b"Tarantool"))
    except DatabaseError as error:
        if NO_ROOM not in str(error):
            raise
        raise DatabaseError(f"TARANTOOL_MEMORY is too small for the data in {data}") from None
    where = f"{USER}:{endpoint.password}@{endpoint}" if endpoint else quote(str(address))
    return Running("tarantool://" + where, process.pid, server.end)


def _programs(user: Account) -> Path:
    """Return the folder of PROGRAM, which the account can read."""
    if user is None:
        return ROOT
    texts = (path.read_bytes() for path in sorted((ROOT / PROGRAM).parent.glob("*.lua")))
    version = hashlib.sha256(b"".join(texts)).hexdigest()[:16]
    return copied(ROOT, ["tarantool"], f"tarantool-{version}")
