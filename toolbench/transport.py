"""How a driver reaches its database: over the Unix socket, or over TCP to a server that listens.

The private databases of the site listen on Unix sockets alone. Where a race wants TCP, a server of
the toolbench's own takes their place, which listens on both.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from databases import find
from databases.database import DatabaseError
from race.errors import RaceError
from runtime.address import OPTION, Address
from runtime.plugin import Plugin

UNIX, TCP = "unix", "tcp"
LISTENERS = {
    "postgres": Plugin("toolbench.postgres.listener:start"),
}
"""By database: a function that starts such a server, and returns a ``Listener``."""


class Listener(Protocol):
    """A private server that listens on TCP as well, for the length of a race."""

    @property
    def url(self) -> str:
        """Its Unix socket."""
        ...

    @property
    def pid(self) -> int:
        """Its main process."""
        ...

    @property
    def tcp(self) -> Address:
        """Where it listens on TCP, and as whom to ask there."""
        ...

    def leave(self) -> None:
        """End it."""
        ...


def listener(database: str) -> Listener:
    """Started; RaceError, one line, when it cannot be."""
    try:
        found: Listener = LISTENERS[database].load()()
    except DatabaseError as error:
        raise RaceError(str(error)) from None
    return found


def sent(database: str, address: Address) -> Mapping[str, Any]:
    """An address as runners take it (``driver.Address``)."""
    path = address.path
    if path and find(database).form.socket not in ("", OPTION):
        path = str(Path(path).parent)
    return {
        "host": address.host,
        "port": address.port,
        "path": path,
        "user": address.user,
        "password": address.password,
        "database": address.name,
    }
