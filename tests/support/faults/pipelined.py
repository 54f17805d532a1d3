"""Requests that arrive while another one of their connection waits for the database."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from tests.support.site_server import SiteServer

HEAD = b" HTTP/1.1\r\nHost: x\r\n\r\n"
INDEX, UGLY, NOWHERE = b"GET /" + HEAD, b"GET /ugly" + HEAD, b"GET /nowhere" + HEAD
CONNECTIONS = 8
QUIET_SECONDS = 0.3
# What each connection sends, piece by piece.
PATTERNS: dict[str, list[bytes]] = {
    "two": [INDEX * 2],
    "many": [INDEX * 24],
    "hundreds": [INDEX * 100],
    "others behind": [INDEX + UGLY * 24],
    "unknown pages behind": [INDEX + NOWHERE * 24],
    "others before": [UGLY * 24 + INDEX + UGLY],
    "later": [INDEX, UGLY * 24],
    "part by part": [INDEX, INDEX[:9], INDEX[9:], UGLY * 24, INDEX * 24],
    "noise behind": [INDEX + bytes(range(256)) * 4],
    "the last of its connection": [
        INDEX.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") * 24
    ],
}


def send(server: SiteServer, pieces: list[bytes]) -> list[int]:
    """Send the pieces on one connection; return the statuses that arrive before it is quiet."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), 5.0) as connection:
        connection.settimeout(QUIET_SECONDS)
        try:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.0005)
            while chunk := connection.recv(65536):
                received += chunk
        except OSError:
            pass
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]


def send_all(server: SiteServer, names: Iterable[str] = PATTERNS) -> None:
    """Send each of the patterns on several connections at once, and check what is answered."""
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for name in names:
            pieces = PATTERNS[name]
            for statuses in pool.map(send, [server] * CONNECTIONS, [pieces] * CONNECTIONS):
                assert set(statuses) <= {200, 400, 404, 503}, (name, statuses)
                assert 400 not in statuses[:-1], (name, statuses)


def send_behind(server: SiteServer, delay: float) -> None:
    """Request a page, then 24 others some seconds later; wait until all are answered or refused."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), 5.0) as connection:
        connection.settimeout(QUIET_SECONDS)
        connection.sendall(INDEX)
        # A sleep would end late by more than the step between two delays.
        until = time.perf_counter() + delay
        while time.perf_counter() < until:
            pass
        try:
            connection.sendall(UGLY * 24)
            while received.count(b"UGLY") < 24 and (chunk := connection.recv(65536)):
                received += chunk
        except OSError:
            pass
