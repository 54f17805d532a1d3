"""Guards against four bugs of japronto 0.1.2, the last version there is.

1. More than ten requests pipelined behind a pending one abort the process (upstream issue 46).
   While one is pending, we set the parser's close flag, so that it refuses what follows.
2. Bodies are buffered without limit. Several times a second we read the parser's lengths, answer
   413 to a request that is too large, and drop the connection.
3. When the client disconnects first, the protocol is freed inside its own callback (use after
   free). We hold a reference until the next turn of the loop.
4. A response is a part of its request, but does not keep the request alive. The task that returned
   the response lets go of it when the request has been freed (use after free). The coroutine of a
   page makes the request an attribute of its task, which lets go of its result first.

Python code is not asked about the first three, so we read and write the memory of the parser. The
offsets come from the debug symbols of the wheel for x86-64, and `fits` checks the layout. A request
that does not wait runs no code of this module. What else we need of japronto's private attributes
is here as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import math
import os
from typing import Any, Callable, Coroutine, Dict, Optional, Tuple

from japronto import Application
from japronto.protocol.cprotocol import Protocol

from handlers.timeouts import TIMEOUTS

# The version of each lock that this module was checked with.
CHECKED = {"py37": "0.1.2"}
PROTOCOL_SIZE = 7208
PARSER_OFFSET = 16

HEAD, BODY = 0, 1  # states of the parser
CLOSE = 1  # the value of its close flag
NO_LENGTH = 2**64 - 1
# A request may have this many bytes; its page refuses a body between BODY_LIMIT and that.
MOST_BUFFERED = 3 * 2**19
# An answer that waits is at most one read's pipeline; reading is paused from 64 KiB on. That can be
# 5 MB, so a client for which more than MOST_UNREAD bytes wait must take some within STALL seconds.
# The kernel takes more once a third of its own buffer is free: a client that reads 64 KB/s is safe.
MOST_UNREAD = 2**20
STALL = 2.0

# Of mallopt(3), and its environment variable.
M_MMAP_THRESHOLD, MMAP_THRESHOLD = -3, "MALLOC_MMAP_THRESHOLD_"
LARGE_BUFFER = 2**20


class JaprontoParser(ctypes.Structure):
    """The parser of a connection; the memory belongs to its protocol."""

    _fields_ = [
        ("state", ctypes.c_uint),
        ("transfer", ctypes.c_uint),
        ("close_flag", ctypes.c_uint),
        ("content_length", ctypes.c_uint64),
        ("decoder", ctypes.c_uint64 * 2),
        ("decoded", ctypes.c_size_t),
        ("buffer", ctypes.c_void_p),
        ("start", ctypes.c_size_t),
        ("end", ctypes.c_size_t),
    ]

    @classmethod
    def of(cls, protocol: Any) -> JaprontoParser:
        """Return the parser of a protocol, which it must not outlive."""
        return cls.from_address(id(protocol) + PARSER_OFFSET)

    def protocol(self) -> Any:
        """Return the protocol, which must be alive."""
        return ctypes.cast(ctypes.addressof(self) - PARSER_OFFSET, ctypes.py_object).value

    def too_large(self) -> bool:
        """Return whether the request that is arriving is longer than any page accepts."""
        if self.state == BODY and MOST_BUFFERED < self.content_length < NO_LENGTH:
            return True
        return bool(self.end - self.start > MOST_BUFFERED)

    def clear(self) -> None:
        """Drop what arrived of a request, so that its end is not reported."""
        self.state, self.start, self.end = HEAD, 0, 0


def fits(protocol: type) -> bool:
    """Return whether the class has the layout that `JaprontoParser` expects."""
    return protocol.__basicsize__ == PROTOCOL_SIZE and hasattr(protocol, "pipeline_empty")


class ConnectionGuard:
    """The application, as the protocol of one connection sees it.

    The protocol creates its tasks through `_loop`, one at a time, and looks for `_connections` when
    it is made and when it is lost. All other attributes are the application's.
    """

    __slots__ = ("_application", "_close_flag", "_create_task", "_lost", "_parser")

    def __init__(self, application: Any) -> None:
        self._application = application
        self._create_task = application.loop.create_task
        self._close_flag = 0
        # The protocol, when its client left before the answer.
        self._lost: Any = None
        self._parser: Any = None

    def guard(self, protocol: Any) -> None:
        """Guard this protocol. Only its address is kept, as the protocol refers to the guard."""
        self._parser = JaprontoParser.of(protocol)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._application, name)

    @property
    def _loop(self) -> ConnectionGuard:
        return self

    @property
    def _connections(self) -> Any:
        # A protocol that is lost looks here before it cancels its task: it is held from now on.
        protocol = self._parser.protocol()
        if not protocol.pipeline_empty:
            self._lost = protocol
        return self._application._connections  # noqa: SLF001

    def create_task(self, coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start the task of a request, and refuse the requests behind it."""
        parser = self._parser
        self._close_flag, parser.close_flag = parser.close_flag, CLOSE
        task: asyncio.Task[Any] = self._create_task(coroutine)
        task.add_done_callback(self._answered)
        return task

    def _answered(self, task: asyncio.Task[Any]) -> None:
        self._parser.close_flag = self._close_flag
        if self._lost is not None:
            # The protocol's own callback comes next; the loop has left it when this one is called.
            self._application.loop.call_soon(lambda protocol: None, self._lost)
            self._lost = None


def guarded_protocol(application: Any) -> Any:
    """Return a new protocol with a guard in place of the application."""
    guard = ConnectionGuard(application)
    protocol = Protocol(guard)
    guard.guard(protocol)
    return protocol


class GuardedApplication(Application):  # type: ignore[misc]
    """japronto on a given event loop, with the guards in place."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            reaper_settings={"idle_timeout": math.ceil(TIMEOUTS.idle)},
            protocol_factory=guarded_protocol if fits(Protocol) else None,
        )
        # japronto offers no public way to choose the loop.
        self._loop = loop
        # The bytes that wait for clients, by transport, and since when there are so many.
        self._unread: Dict[Any, Tuple[int, float]] = {}

    def close_idle(self) -> bool:
        """Close the connections without a pending request; return whether those were all."""
        connections = list(self._connections)
        for connection in connections:
            if connection.pipeline_empty:
                connection.transport.close()
        return all(connection.pipeline_empty for connection in connections)

    def refuse_large_requests(self, answer: Callable[[], bytes]) -> None:
        """Answer requests that are too large before they have arrived, and free their memory."""
        if not fits(Protocol):
            return
        for protocol in [one for one in self._connections if JaprontoParser.of(one).too_large()]:
            transport = protocol.transport
            if not transport.is_closing():
                JaprontoParser.of(protocol).clear()
                transport.write(answer())
                transport.set_protocol(Discarding(transport, self.loop))
                protocol.connection_lost(None)

    def drop_unread(self) -> None:
        """Close the connections whose clients take none of many answers; see STALL."""
        now, before, self._unread = self.loop.time(), self._unread, {}
        for transport in [protocol.transport for protocol in self._connections]:
            waiting = transport.get_write_buffer_size()
            if waiting <= MOST_UNREAD:
                continue
            known, since = before.get(transport, (0, now))
            # More than before is a later pipeline, which was read when the first had been taken.
            since = since if waiting == known else now
            self._unread[transport] = (waiting, since)
            if now - since > STALL:
                transport.abort()


class Discarding(asyncio.Protocol):
    """Discards the rest of a refused request for a while, so that its client sees the answer."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = loop.call_later(TIMEOUTS.linger, transport.close)

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._timer.cancel()


def keep_large_buffers_apart() -> None:
    """Give each large buffer pages of its own, which the kernel gets back when it is freed.

    glibc raises that limit up to 32 MiB as large buffers are freed. A buffer then grows into memory
    that an earlier one left, where no check sees it, and is copied as a whole at the end of that.
    A limit in the environment stays.
    """
    if MMAP_THRESHOLD in os.environ:
        return
    with contextlib.suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BUFFER)
