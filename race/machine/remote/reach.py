"""Takes the time of TCP connections; it travels like the agent."""

from __future__ import annotations

import socket
import time

DIAL_SECONDS = 5.0


def dial(host: str, port: int, times: int) -> list[int]:
    """Return the nanoseconds of some TCP connections, each opened and closed."""
    found = []
    for _ in range(times):
        began = time.monotonic_ns()
        with socket.create_connection((host, port), DIAL_SECONDS):
            found.append(time.monotonic_ns() - began)
    return found
