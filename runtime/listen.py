"""Listening sockets of servers."""

from __future__ import annotations

import socket

BACKLOG = 1024
# Socket buffers; Linux doubles these numbers. With the default of up to 4 MB, a framework would go
# on answering a client that does not read. A pipeline of 24 requests and the answers to it fit.
RECEIVE_BYTES = 8 * 1024
SEND_BYTES = 192 * 1024


def listen(port: int, host: str = "127.0.0.1", shared: bool = False) -> socket.socket:
    """Return a socket that listens on the port, or raise OSError.

    Port 0 stands for a free one. With `shared`, several sockets may listen on the port, and the
    kernel deals out the connections.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # asyncio before CPython 3.8 sets TCP_NODELAY only on a socket that names its protocol. Without
    # it, a pipelined answer waits 40 ms for the client's delayed acknowledgement.
    sock = socket.socket(*found[:3])
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections inherit these.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        if shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind(found[4])
        # At once, because two sockets that are only bound could both get the port.
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def free_port(port: int = 0, host: str = "127.0.0.1") -> int:
    """Return a port on which nobody listens, any one for 0; raise OSError if the port is in use."""
    with listen(port, host) as sock:
        found: int = sock.getsockname()[1]
        return found
