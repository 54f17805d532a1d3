"""Clients that leave as soon as they have read something, each on a connection of its own."""

from __future__ import annotations

import contextlib
import socket
import struct

SECONDS = 10.0
RESET = struct.pack("ii", 1, 0)
# Each block of memory from this size on gets pages of its own, which are unmapped when it is freed:
# whoever uses it after that ends the process. What stays mapped is overwritten.
UNMAPPED = {
    "MALLOC_MMAP_THRESHOLD_": "2048",
    "MALLOC_TRIM_THRESHOLD_": "0",
    "MALLOC_PERTURB_": "165",
}


def leave(port: int, path: str, clients: int) -> int:
    """Send a request of each client at once, and return how many had a 200 when they left.

    Half of them close their connections, half of them reset theirs.
    """
    answered = 0
    with contextlib.ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), SECONDS))
            for _ in range(clients)
        ]
        for connection in connections:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        for number, connection in enumerate(connections):
            with contextlib.suppress(OSError):
                answered += connection.recv(4096).startswith(b"HTTP/1.1 200 ")
            if number % 2:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            connection.close()
    return answered
