"""The address that a server listens on, bound before anything else starts."""

from __future__ import annotations

import socket
from typing import List, Tuple

from handlers.web.open_files import ListeningSocket
from runtime.listen import listen


class Listen:
    """A bound, listening address.

    `socket` listens; `host` and `port` are where (port 0 has become a real one), and `url` says so
    for a person. The constructor raises OSError when the address cannot be had.
    """

    def __init__(self, host: str, port: int) -> None:
        # Not shared, so that a second server on the port fails here with a clear message.
        self.socket = listening(port, host)
        self._sockets: List[socket.socket] = [self.socket]
        self.host, self.port = self.socket.getsockname()[:2]
        shown = f"[{self.host}]" if ":" in self.host else self.host
        self.url = f"http://{shown}:{self.port}"

    def spread(self, workers: int) -> List[socket.socket]:
        """Return a socket on the port for each worker: the kernel deals out connections evenly.

        All are opened before the fork and stay open in the parent, so that a connection dealt to a
        worker that dies waits for the one that replaces it.
        """
        if len(self._sockets) < workers:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        while len(self._sockets) < workers:
            self._sockets.append(listening(self.port, self.host, shared=True))
        return self._sockets[:workers]

    def keep(self, number: int) -> socket.socket:
        """Return a worker's own socket of those of `spread`, and close its copies of the others."""
        own = self._sockets[number]
        for sock in self._sockets:
            if sock is not own:
                sock.close()
        self.socket, self._sockets = own, [own]
        return own

    def hand_over(self) -> Tuple[str, int]:
        """Free the host and port for a server that binds by itself, and return them."""
        self.close()
        return self.host, self.port

    def close(self) -> None:
        """Stop listening in this process."""
        for sock in self._sockets:
            sock.close()


def listening(port: int, host: str, shared: bool = False) -> socket.socket:
    """Return a socket as `listen` does, but one that keeps a few open files free."""
    sock = listen(port, host, shared)
    return ListeningSocket(sock.family, sock.type, sock.proto, fileno=sock.detach())
