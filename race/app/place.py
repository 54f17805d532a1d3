"""The address at which a contender's server listens."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import NamedTuple

from race.app.scenario import PORT, SOCKET

HOST = "127.0.0.1"


class Place(NamedTuple):
    """A port of this machine, or the path of a Unix socket."""

    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return self.path or f"{HOST} port {self.port}"

    @property
    def url(self) -> str:
        """The URL of the server, without a path; that of a socket has a host alone."""
        return f"http://{HOST}" if self.path else f"http://{HOST}:{self.port}"

    @property
    def values(self) -> Mapping[str, str]:
        """The values that stand in a command for the place."""
        return {SOCKET: self.path} if self.path else {PORT: str(self.port)}

    def connect(self, timeout: float) -> socket.socket:
        """Return a connection. OSError if there is none in that time."""
        if not self.path:
            return socket.create_connection((HOST, self.port), timeout)
        made = socket.socket(socket.AF_UNIX)
        try:
            made.settimeout(timeout)
            made.connect(self.path)
        except BaseException:
            made.close()
            raise
        return made


def free_port() -> Place:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind((HOST, 0))
        return Place(port=one.getsockname()[1])
