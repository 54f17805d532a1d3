"""Timeouts and limits for clients, enforced in the same way for every framework.

No framework limits everything that a client can do: send the head of a request slowly, send its
body slowly, send nothing, send a head without an end. The kernel counts what each connection
received and which answers the client took (TCP_INFO, tcp(7)). A check of these counts, once a
second, finds the clients that exceed a limit, and costs nothing during a request. Their connections
are shut down, which a framework sees as a client that left. When the open files come near their
limit, so are connections that are idle: first those on which nothing was ever sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import socket
import struct
import time
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from handlers.timeouts import TIMEOUTS
from handlers.web import open_files

# When the open files come near their limit: seconds for a request to arrive and be answered, for a
# client that was answered to ask again, for a new one to ask, and from one check to the next.
REQUEST_IN_SHORTAGE = 3.0
IDLE_IN_SHORTAGE = 10.0
SILENT_IN_SHORTAGE = 0.2
CHECK_IN_SHORTAGE = 0.25

# A check that comes later than this was held up by the process, which is not the clients' fault.
LONGEST_STEP = 2 * TIMEOUTS.check

# Bytes that a connection may send before it is answered. Bodies are refused from 64 KiB on, but
# where a framework reads and drops the rest, it needs this much.
MOST_UNANSWERED = 2 * 2**20
# Clients that send faster than the checks come show in the memory, which is read more often. Every
# 3 ms, the kernel's own pace, took a tenth of japronto's time on /ugly.
TICK_SECONDS = 0.02
GROWTH = 2**20
PAGE = resource.getpagesize()


class TcpCounts(NamedTuple):
    """The kernel's counts of a connection."""

    sent_ago: int  # milliseconds since the last byte that we sent
    received_ago: int
    acked: int  # bytes of what we sent
    received: int


# Their places in struct tcp_info.
_COUNTS = struct.Struct("=44xI4xI64xQQ")


class ClientConnection:
    """The history of a connection, as the checks saw it."""

    __slots__ = ("_acked", "_answered", "_received", "pending", "since")

    def __init__(self, counts: TcpCounts, now: float) -> None:
        self._acked = self._received = self._answered = 0
        # True while a request is arriving or being answered; a new connection owes one.
        self.pending = True
        # When that began, or else when something last moved.
        self.since = now
        self.update(counts, now)

    def update(self, counts: TcpCounts, now: float) -> None:
        """Take in the counts of this moment."""
        if counts.acked != self._acked:
            self.since, self._answered = now, counts.received
            self.pending = counts.received_ago < counts.sent_ago
        elif counts.received != self._received and not self.pending:
            self.since, self.pending = now, True
        self._acked, self._received = counts.acked, counts.received

    def exceeds_a_limit(self, now: float) -> bool:
        """Return whether its time is up, or it sent too much."""
        if self.pending and self._received - self._answered > MOST_UNANSWERED:
            return True
        return now - self.since > (TIMEOUTS.request if self.pending else TIMEOUTS.idle)

    @property
    def silent(self) -> bool:
        """Return whether its client has sent nothing at all."""
        return self._received == 0

    def can_be_spared(self, now: float) -> bool:
        """Return whether its time is up when the open files come near their limit."""
        in_a_request = self.pending and self._received > self._answered
        idle = SILENT_IN_SHORTAGE if self.silent else IDLE_IN_SHORTAGE
        return now - self.since > (REQUEST_IN_SHORTAGE if in_a_request else idle)


# A connection with its descriptor.
Client = Tuple[ClientConnection, int]


class ClientTimeouts:
    """The connections of this process to the site's port. ``clock`` returns seconds."""

    def __init__(self, listening: socket.socket, clock: Callable[[], float]) -> None:
        self._family = listening.family
        self._port = listening.getsockname()[1]
        self._clock = clock
        self._last = clock()
        self._now = 0.0
        # By inode, which is unique among open files; None for a file that is no client's.
        self._before: Dict[int, Optional[ClientConnection]] = {}
        self._spare: Optional[int] = os.open(os.devnull, os.O_RDONLY)

    def check(self) -> int:
        """Shut down the connections that exceed a limit, and return how many those were."""
        now = self._clock()
        self._now += min(now - self._last, LONGEST_STEP)
        self._last = now
        descriptors = self._descriptors()
        clients = self._clients(descriptors)
        too_many = [one for one in clients if one[0].exceeds_a_limit(self._now)]
        if len(descriptors) >= open_files.most_for_clients():
            open_files.shortage.log(os.strerror(errno.EMFILE))
            too_many += self._idle(clients, len(descriptors))
        return sum(self._shut(descriptor) for _, descriptor in too_many)

    def end_silent(self) -> None:
        """Shut down the connections on which nothing was ever sent."""
        for connection, descriptor in self._clients(self._descriptors()):
            if connection.silent:
                self._shut(descriptor)

    def _clients(self, descriptors: List[int]) -> List[Client]:
        """Return the histories of the clients' connections among these open files."""
        before, self._before = self._before, {}
        clients: List[Client] = []
        for descriptor in descriptors:
            connection = self._followed(descriptor, before)
            if connection is not None:
                clients.append((connection, descriptor))
        return clients

    def relieve(self) -> None:
        """Check the connections now if the open files come near their limit."""
        if open_files.next_number() >= open_files.most_for_clients():
            self.check()

    def _idle(self, clients: List[Client], opened: int) -> List[Client]:
        """Return the idle ones that have to go so that half of the files are free."""
        spared = [one for one in clients if one[0].can_be_spared(self._now)]
        spared.sort(key=lambda one: (not one[0].silent, one[0].since))
        return spared[: opened - open_files.limit() // 2]

    def _descriptors(self) -> List[int]:
        """Return the open files of this process.

        A listing needs a descriptor itself. One is kept free for it, for when all others are taken.
        """
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        try:
            return [int(name) for name in os.listdir("/proc/self/fd")]
        except OSError:
            return []
        finally:
            # A thread may have taken the last descriptor; the checks go on all the same.
            with contextlib.suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY)

    def _followed(
        self, descriptor: int, before: Dict[int, Optional[ClientConnection]]
    ) -> Optional[ClientConnection]:
        """Return the history of an open file up to now, or None if it is no client's."""
        try:
            inode = os.fstat(descriptor).st_ino
            known = before.get(inode)
            if known is None and inode in before:
                connection = None
            else:
                connection = self._updated(descriptor, known)
        except OSError:
            # The file is no socket, or it was closed since the listing.
            return None
        self._before[inode] = connection
        return connection

    def _updated(
        self, descriptor: int, connection: Optional[ClientConnection]
    ) -> Optional[ClientConnection]:
        """Return the history of a connection up to now, or None for a file that is no client's."""
        view = self._view(descriptor)
        try:
            if connection is None and not self._is_a_client(view):
                return None
            info = view.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _COUNTS.size)
        finally:
            view.detach()
        counts = TcpCounts._make(_COUNTS.unpack(info))
        if connection is None:
            return ClientConnection(counts, self._now)
        connection.update(counts, self._now)
        return connection

    def _shut(self, descriptor: int) -> bool:
        """Shut a connection down, and return whether it was open."""
        view = self._view(descriptor)
        try:
            view.shutdown(socket.SHUT_RDWR)
        except OSError:
            return False
        finally:
            view.detach()
        return True

    def _view(self, descriptor: int) -> socket.socket:
        """Return a second object for the framework's socket; it must be detached, not closed."""
        return socket.socket(
            self._family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=descriptor
        )

    def _is_a_client(self, view: socket.socket) -> bool:
        """Return whether the socket is connected and its own port is the site's."""
        try:
            name = view.getsockname()
            return isinstance(name, tuple) and name[1] == self._port and bool(view.getpeername())
        except OSError:
            return False


class Check(NamedTuple):
    """A function to call every so many seconds."""

    run: Callable[[], object]
    every: float


def enforce(
    listening: socket.socket,
    loop: asyncio.AbstractEventLoop,
    *more: Check,
    tick: float = TICK_SECONDS,
) -> ClientTimeouts:
    """Enforce the timeouts of clients on that port while the loop runs; `more` checks come first.

    All checks run within a tick when the memory of the process has grown. Return the object that
    checks the clients.
    """
    clients = ClientTimeouts(listening, time.monotonic)
    checks = [
        *more,
        Check(clients.check, TIMEOUTS.check),
        Check(clients.relieve, CHECK_IN_SHORTAGE),
    ]
    _schedule(loop, checks, tick)
    return clients


def _schedule(loop: asyncio.AbstractEventLoop, checks: Sequence[Check], tick: float) -> None:
    memory = ProcessMemory()
    known, due = memory.resident(), [0.0] * len(checks)

    def run_what_is_due() -> None:
        nonlocal known
        now, resident = time.monotonic(), memory.resident()
        grown = resident - known > GROWTH
        known = resident if grown else min(known, resident)
        for number, check in enumerate(checks):
            if grown or now >= due[number]:
                due[number] = now + check.every
                check.run()
        loop.call_later(tick, run_what_is_due)

    loop.call_soon(run_what_is_due)


class ProcessMemory:
    """The memory of this process."""

    def __init__(self) -> None:
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

    def resident(self) -> int:
        """Return the bytes that it has now, not its peak, which hides later growth."""
        return int(os.pread(self._statm, 128, 0).split()[1]) * PAGE
