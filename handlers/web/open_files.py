"""The open files of this process: each connection is one, and a few are kept for the rest."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import resource
import socket
import time
from typing import Any, Tuple

# Files that clients' connections leave free for those to a database: an eighth, at most so many.
MOST_RESERVED = 64
SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
# What asyncio logs with a traceback when it stops accepting for a second. `Shortage` says it once.
ASYNCIO_STOPS = "socket.accept() out of system resource"
REPEAT_SECONDS = 60.0

_log = logging.getLogger("site")


def raise_the_limit() -> None:
    """Let this process open as many files as it may."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def limit() -> int:
    """Return how many files this process may open."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def most_for_clients() -> int:
    """Return how many files may be open when a client is accepted."""
    return limit() - min(limit() // 8, MOST_RESERVED)


def next_number() -> int:
    """Return the number of the next open file, which is the lowest free one; the limit for none."""
    try:
        number = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return limit()
    os.close(number)
    return number


class Shortage:
    """The line of the log about a shortage of open files, at most once a minute."""

    def __init__(self) -> None:
        self._logged = float("-inf")

    def log(self, reason: str) -> None:
        """Log the line, unless it was logged a short time ago."""
        now = time.monotonic()
        if now - self._logged >= REPEAT_SECONDS:
            self._logged = now
            line = (
                "%s (the limit is %d): visitors may have to wait, and idle connections are closed"
            )
            _log.warning(line, reason, limit())


shortage = Shortage()


class ListeningSocket(socket.socket):
    """A listening socket on which asyncio stops accepting before the open files reach the limit.

    EMFILE makes asyncio stop for a second, but only after it has tried to accept as many
    connections as the backlog has places, and it logs each attempt. The first EMFILE comes early
    here, and after each one it seems that nobody waits. libuv does not call this: at the limit it
    closes new connections.
    """

    _near_the_limit = _stopped = False

    def accept(self) -> Tuple[socket.socket, Any]:
        """Return a connection and its address, or raise OSError."""
        if self._stopped:
            self._stopped = False
            raise BlockingIOError
        try:
            if self._near_the_limit and next_number() >= most_for_clients():
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            connection, address = super().accept()
        except OSError as error:
            self._stopped = error.errno in SHORTAGES
            if self._stopped:
                shortage.log(str(error.strerror))
            raise
        self._near_the_limit = connection.fileno() >= most_for_clients()
        return connection, address
