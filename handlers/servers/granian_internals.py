"""The parts of Granian that are not public, in one place."""

from __future__ import annotations

import socket
from typing import Any

from granian import net
from granian.server.embed import Server

from runtime.listen import BACKLOG

# The version of each lock that this module was checked with.
CHECKED = {"current": "2.8.7"}


class EmbeddedServer(Server):
    """Granian in a running event loop, on a socket that listens already, in place of its own."""

    _shd: Any

    def __init__(self, app: Any, sock: socket.socket, **options: Any) -> None:
        super().__init__(app, **options)
        self._listening = sock

    def _init_shared_socket(self) -> None:
        # A copy, because the thread that accepts closes the descriptor that it gets.
        holder: Any = net
        self._shd = holder.SocketHolder(self._listening.dup().detach(), False, BACKLOG)
