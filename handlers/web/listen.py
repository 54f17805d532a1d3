"""Where a server listens: bound before anything else starts, so that a port in use is one line."""

from __future__ import annotations

import socket
from typing import List, Tuple

BACKLOG = 1024


class Listen:
    """A bound, listening address. OSError when it cannot be had.

    ``socket`` listens; ``host`` and ``port`` are where (a port 0 has become a real one); ``url`` is
    that for a person.
    """

    def __init__(self, host: str, port: int) -> None:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        self._kind = found[:3]
        # Without SO_REUSEPORT: a second server on the port must fail here, with a clear line.
        self.socket = self._open(found[4], shared=False)
        self._sockets = [self.socket]
        self.host, self.port = self.socket.getsockname()[:2]
        shown = f"[{self.host}]" if ":" in self.host else self.host
        self.url = f"http://{shown}:{self.port}"

    def spread(self, workers: int) -> List[socket.socket]:
        """A socket on the port for each worker: the kernel deals out connections evenly.

        All are opened here, before the fork, and stay open here: what was dealt to a worker that
        dies waits for the one that replaces it.
        """
        if len(self._sockets) < workers:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        while len(self._sockets) < workers:
            self._sockets.append(self._open(self.socket.getsockname(), shared=True))
        return self._sockets[:workers]

    def keep(self, number: int) -> socket.socket:
        """In a worker: its own socket of those of ``spread``; the copies of the others' closed."""
        own = self._sockets[number]
        for sock in self._sockets:
            if sock is not own:
                sock.close()
        self.socket, self._sockets = own, [own]
        return own

    def hand_over(self) -> Tuple[str, int]:
        """Host and port, free for a server that binds for itself; it must do so at once."""
        self.close()
        return self.host, self.port

    def close(self) -> None:
        """Listen no more in this process."""
        for sock in self._sockets:
            sock.close()

    def _open(self, address: Tuple[object, ...], shared: bool) -> socket.socket:
        # With its protocol named: older asyncio sets TCP_NODELAY on no other, and without it a
        # pipelined answer waits 40 ms for the client's delayed acknowledgement.
        sock = socket.socket(*self._kind)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if shared:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            sock.bind(address)
            # Listening at once: of two sockets that only bind, both would get the port.
            sock.listen(BACKLOG)
        except OSError:
            sock.close()
            raise
        return sock
