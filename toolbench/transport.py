"""The transports between a driver and its database: a Unix socket, or TCP.

The private databases of the site listen on Unix sockets only. In a race over TCP, a server of the
toolbench's own takes the place of one of them, which listens on both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from databases import find
from databases.database import DatabaseError
from race.errors import RaceError
from runtime.address import OPTION, Address
from runtime.plugin import Plugin

UNIX, TCP = "unix", "tcp"
LISTENERS = {
    "postgres": Plugin("toolbench.postgres.listener:start"),
}
"""Database to a function that starts a `Listener` with these settings of the server."""


@dataclass(frozen=True)
class Listener:
    """A private server that listens on TCP as well, for the length of a race.

    `url` is that of its Unix socket, `tcp` has a user and a password, `leave` ends the server.
    """

    url: str
    pid: int
    tcp: Address
    leave: Callable[[], None]


def listener(database: str, settings: Mapping[str, str | int]) -> Listener:
    """Start the server; RaceError when that fails."""
    try:
        found: Listener = LISTENERS[database].load()(settings)
    except DatabaseError as error:
        raise RaceError(str(error)) from None
    return found


def message(database: str, address: Address) -> Mapping[str, Any]:
    """Return an address as runners take it: libpq's drivers want the folder of a Unix socket."""
    path = address.path
    if path and find(database).form.socket not in ("", OPTION):
        path = str(Path(path).parent)
    return {**address._asdict(), "path": path}
