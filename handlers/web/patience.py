"""How long a client is waited for, and for how much: the same on every framework.

No framework bounds all of it: a head that drips, a body that drips, a silent connection, a head
without an end. The kernel counts what came over each connection and what of the answers was taken
(TCP_INFO, tcp(7)), so a look at those of this process, every few seconds, finds who is late, and
nothing is on the way of a request. Who is late is shut down, which to the framework is a client
that left.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import struct
import time
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

# A request has 10 s to come in as a whole, and every page is answered within 2.
REQUEST_SECONDS = 12.0
# A connection where nothing moves, between two requests or in the middle of an answer.
IDLE_SECONDS = 75.0
LOOK_SECONDS = 1.0
# A look that comes later than that found a process that did not listen: not the client's fault.
LONGEST_STEP_SECONDS = 2 * LOOK_SECONDS

# What one connection may send before it is answered. A body is refused from 64 KiB on, but where
# its rest is read and dropped, that takes so much.
MOST_UNANSWERED = 2 * 2**20
# Whoever sends faster than the looks come shows in the memory, which is asked for more often; not
# as often as the kernel's own clock ticks: 3 ms took a tenth of japronto's time on /ugly.
TICK_SECONDS = 0.02
GROWTH = 2**20
PAGE = resource.getpagesize()


class Counts(NamedTuple):
    """What the kernel counts of a connection."""

    sent_ago: int  # milliseconds since the last byte that we sent
    received_ago: int
    acked: int  # bytes of what we sent
    received: int


# Where they are in struct tcp_info.
_COUNTS = struct.Struct("=44xI4xI64xQQ")


class Seen:
    """What is known of a connection from the looks at it."""

    __slots__ = ("_acked", "_answered", "_received", "pending", "since")

    def __init__(self, counts: Counts, now: float) -> None:
        self._acked = self._received = self._answered = 0
        # Whether a request is on its way, or about to be answered; a new connection owes one.
        self.pending = True
        # Since when it is, or nothing moved.
        self.since = now
        self.update(counts, now)

    def update(self, counts: Counts, now: float) -> None:
        """What is counted now."""
        if counts.acked != self._acked:
            self.since, self._answered = now, counts.received
            self.pending = counts.received_ago < counts.sent_ago
        elif counts.received != self._received and not self.pending:
            self.since, self.pending = now, True
        self._acked, self._received = counts.acked, counts.received

    def overdue(self, now: float) -> bool:
        """Whether it is waited for no longer."""
        if self.pending and self._received - self._answered > MOST_UNANSWERED:
            return True
        return now - self.since > (REQUEST_SECONDS if self.pending else IDLE_SECONDS)


class Patience:
    """The connections of this process to the site's port. ``clock``: seconds."""

    def __init__(self, listening: socket.socket, clock: Callable[[], float]) -> None:
        self._family = listening.family
        self._port = listening.getsockname()[1]
        self._clock = clock
        self._last = clock()
        self._now = 0.0
        # By the numbers of their inodes, which are no others' while they are open; None of what is
        # no client's.
        self._before: Dict[int, Optional[Seen]] = {}
        self._spare = os.open(os.devnull, os.O_RDONLY)

    def look(self) -> int:
        """Shut down who is late; how many."""
        now = self._clock()
        self._now += min(now - self._last, LONGEST_STEP_SECONDS)
        self._last = now
        before, self._before = self._before, {}
        return sum(self._attend(descriptor, before) for descriptor in self._descriptors())

    def _descriptors(self) -> List[int]:
        """Of all files that are open here. A listing needs one, which must be there for it."""
        os.close(self._spare)
        try:
            return [int(name) for name in os.listdir("/proc/self/fd")]
        finally:
            self._spare = os.open(os.devnull, os.O_RDONLY)

    def _attend(self, descriptor: int, before: Dict[int, Optional[Seen]]) -> bool:
        """Keep what is known of a file that is open; whether it was shut down."""
        try:
            inode = os.fstat(descriptor).st_ino
            if inode in before and before[inode] is None:
                seen = None
            else:
                seen = self._look_at(descriptor, before.get(inode))
            self._before[inode] = seen
            if seen is None or not seen.overdue(self._now):
                return False
            self._shut(descriptor)
        except OSError:
            # No socket, or closed by now, as the listing's own; or its client was faster.
            return False
        return True

    def _look_at(self, descriptor: int, seen: Optional[Seen]) -> Optional[Seen]:
        """What is known of a connection now; None of what is none."""
        view = self._view(descriptor)
        try:
            if seen is None and not self._is_ours(view):
                return None
            info = view.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _COUNTS.size)
        finally:
            view.detach()
        counts = Counts._make(_COUNTS.unpack(info))
        if seen is None:
            return Seen(counts, self._now)
        seen.update(counts, self._now)
        return seen

    def _shut(self, descriptor: int) -> None:
        view = self._view(descriptor)
        try:
            view.shutdown(socket.SHUT_RDWR)
        finally:
            view.detach()

    def _view(self, descriptor: int) -> socket.socket:
        """A socket that is somebody else's, and to be left open."""
        return socket.socket(
            self._family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=descriptor
        )

    def _is_ours(self, view: socket.socket) -> bool:
        """Whether a client's connection: neither listening nor to somewhere else."""
        try:
            name = view.getsockname()
            return isinstance(name, tuple) and name[1] == self._port and bool(view.getpeername())
        except OSError:
            return False


class Look(NamedTuple):
    """Something to look at after at most so many seconds."""

    at: Callable[[], object]
    every: float


def begin(
    listening: socket.socket,
    loop: asyncio.AbstractEventLoop,
    *more: Look,
    tick: float = TICK_SECONDS,
) -> None:
    """Look at the connections to that socket's port for as long as the loop runs, at more first."""
    _look(loop, [*more, Look(Patience(listening, time.monotonic).look, LOOK_SECONDS)], tick)


def _look(loop: asyncio.AbstractEventLoop, looks: Sequence[Look], tick: float) -> None:
    """At each when it is due, and at all, within a tick, where memory grew."""
    memory = Memory()
    known, due = memory.resident(), [0.0] * len(looks)

    def ask() -> None:
        nonlocal known
        now, resident = time.monotonic(), memory.resident()
        grown = resident - known > GROWTH
        known = resident if grown else min(known, resident)
        for number, look in enumerate(looks):
            if grown or now >= due[number]:
                due[number] = now + look.every
                look.at()
        loop.call_later(tick, ask)

    loop.call_soon(ask)


class Memory:
    """Of this process, for as long as it lives."""

    def __init__(self) -> None:
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

    def resident(self) -> int:
        """What it has now, in bytes: its peak says nothing of what comes up to an earlier one."""
        return int(os.pread(self._statm, 128, 0).split()[1]) * PAGE


def more_descriptors() -> None:
    """As many open files as this process may have: each connection is one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
