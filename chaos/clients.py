"""Clients: one request, raw bytes, and a crowd that votes."""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from types import TracebackType
from typing import NamedTuple
from urllib.parse import urlsplit

SECONDS = 5.0
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PAUSE_SECONDS = 0.05
TOKENS = re.compile(r'name="(vote_plus|vote_minus)" value="([0-9a-f]{32})"')
COUNTED = "voted=1"
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


def port_of(url: str) -> int:
    """Where a server listens on this machine."""
    return urlsplit(url).port or 80


def get(url: str, path: str, seconds: float = SECONDS) -> tuple[int, bytes] | None:
    """Status and body, on a connection of its own; None where there is no answer in time."""
    connection = http.client.HTTPConnection("127.0.0.1", port_of(url), timeout=seconds)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def well(url: str, seconds: float = SECONDS) -> bool:
    """Whether the page without a database is as always."""
    return get(url, "/ugly", seconds) == (200, b"UGLY")


def raw(port: int, seconds: float, data: bytes, close: bool) -> bytes:
    """Send bytes, read until the server closes or the time is up; ``close`` ends our side first."""
    received = b""
    deadline = time.monotonic() + seconds
    try:
        with socket.create_connection(("127.0.0.1", port), seconds) as connection:
            connection.sendall(data)
            if close:
                connection.shutdown(socket.SHUT_WR)
            while (left := deadline - time.monotonic()) > 0:
                connection.settimeout(left)
                chunk = connection.recv(65536)
                if not chunk:
                    break
                received += chunk
    except OSError:  # refused in the middle of what was sent, or nothing more within the time
        pass
    return received


class Acknowledged(NamedTuple):
    """A vote that the site said it had counted: when its ballot was asked for, when it said so."""

    begun: float
    said: float


class Voters:
    """Clients that fetch ballots and vote until they are told to stop. None votes twice."""

    def __init__(self, url: str, number: int = 4) -> None:
        self.acknowledged: list[Acknowledged] = []
        self.undecided = 0
        self.refused = 0
        self._port = port_of(url)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._vote, daemon=True) for _ in range(number)]

    def __enter__(self) -> Voters:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(4 * SECONDS)

    def since(self, moment: float) -> float | None:
        """When the first vote was acknowledged whose ballot was asked for after that moment."""
        with self._lock:
            recent = self.acknowledged[-200:]
        return min((one.said for one in recent if one.begun > moment), default=None)

    def _vote(self) -> None:
        connection: http.client.HTTPConnection | None = None
        while not self._stop.is_set():
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
            if not self._once(connection):
                connection.close()
                connection = None
                time.sleep(PAUSE_SECONDS)
        if connection is not None:
            connection.close()

    def _once(self, connection: http.client.HTTPConnection) -> bool:
        """One ballot, one vote; False where something was not as always."""
        begun = time.monotonic()
        try:
            connection.request("GET", "/")
            answer = connection.getresponse()
            tokens = TOKENS.findall(answer.read().decode())[:2]
        except (OSError, http.client.HTTPException):
            return False
        if answer.status != 200 or len(tokens) != 2:
            return False
        form = "&".join(f"{name}={value}" for name, value in tokens)
        try:
            connection.request("POST", "/", form, FORM)
            answer = connection.getresponse()
            where = answer.headers.get("Location", "")
            answer.read()
        except (OSError, http.client.HTTPException):
            with self._lock:
                self.undecided += 1
            return False
        with self._lock:
            if answer.status == 303 and where.endswith(COUNTED):
                self.acknowledged.append(Acknowledged(begun, time.monotonic()))
            elif answer.status == 303:
                self.refused += 1
            else:
                self.undecided += 1
        return answer.status == 303
