"""What japronto decides in C, guarded for each connection where its parser keeps its words.

A request that comes while another one of its connection waits is put into a queue of ten, and the
eleventh ends the worker (an assertion; upstream issue 46). A body is collected however long it is.
Both are decided in C, which asks nothing in Python meanwhile. So what its parser looks at is
written and read where it lies, and nothing is on the way of a request that does not wait.

What a client has left before the answer is freed in the middle of its last callback, which is a
part of it: the loop then writes where no memory may be any more. So it is kept a little longer.

The places are those of japronto 0.1.2, the last there is, as its debugging information names them;
``fits`` says whether a protocol is that one. This module does not import it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
from typing import Any, Callable, Coroutine, Iterable, List, Optional

from handlers.timeouts import TIMEOUTS

# Of japronto 0.1.2 on x86-64.
_PROTOCOL_SIZE = 7208
_PARSER_AT = 16

_HEAD, _BODY = 0, 1
_CLOSE = 1
_NO_LENGTH = 2**64 - 1
# Of what is kept of a request; a body between BODY_LIMIT and that is refused by its page.
MOST_KEPT = 3 * 2**19

# Of mallopt(3).
_M_MMAP_THRESHOLD = -3
_APART = 2**20


def keep_large_buffers_apart() -> None:
    """What is allocated from 1 MiB on gets pages of its own, always, and gives them back.

    glibc moves that limit up to 32 MiB as large buffers are freed. Then one grows, unseen, into
    memory that an earlier one has left, and at the end of that is copied as a whole.
    """
    with contextlib.suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _APART)


class Parser(ctypes.Structure):
    """The words of a connection's parser."""

    _fields_ = [
        ("state", ctypes.c_uint),
        ("transfer", ctypes.c_uint),
        ("connection", ctypes.c_uint),
        ("content_length", ctypes.c_uint64),
        ("decoder", ctypes.c_uint64 * 2),
        ("decoded", ctypes.c_size_t),
        ("buffer", ctypes.c_void_p),
        ("start", ctypes.c_size_t),
        ("end", ctypes.c_size_t),
    ]

    @property
    def too_large(self) -> bool:
        """Whether a request is on its way that is longer than any page takes."""
        if self.state == _BODY and MOST_KEPT < self.content_length < _NO_LENGTH:
            return True
        kept: int = self.end - self.start
        return kept > MOST_KEPT

    def forget(self) -> None:
        """Drop what came of a request, so that its end is no news."""
        self.state, self.start, self.end = _HEAD, 0, 0


def fits(protocol: type) -> bool:
    """Whether the places of ``Parser`` are those of that class, and ``Line`` finds what it asks."""
    return protocol.__basicsize__ == _PROTOCOL_SIZE and hasattr(protocol, "pipeline_empty")


def parser_of(protocol: Any) -> Parser:
    """The parser of a connection, which must not outlive its protocol."""
    return Parser.from_address(id(protocol) + _PARSER_AT)


def protocol_of(parser: Parser) -> Any:
    """The protocol of a parser, which must be alive."""
    return ctypes.cast(ctypes.addressof(parser) - _PARSER_AT, ctypes.py_object).value


class Line:
    """What the protocol of one connection takes for the application.

    It makes its tasks here, one at a time, and says here that it is lost. Everything else is the
    application's.
    """

    __slots__ = ("_application", "_before", "_create", "_left", "_parser")

    def __init__(self, application: Any) -> None:
        self._application = application
        self._create = application.loop.create_task
        self._parser: Any = None
        self._before = 0
        # The protocol, once its client has left before the answer.
        self._left: Any = None

    def guard(self, protocol: Any) -> None:
        """Of that one: its address alone is kept, as it keeps the line."""
        self._parser = parser_of(protocol)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._application, name)

    @property
    def _loop(self) -> Line:
        """Where the protocol looks for ``create_task``."""
        return self

    @property
    def _connections(self) -> Any:
        """The application's: the protocol joins them when it is made, when nothing waits yet.

        It leaves them when it is lost, before it cancels what waits: that one is kept from here on.
        """
        protocol = protocol_of(self._parser)
        if not protocol.pipeline_empty:
            self._left = protocol
        return self._application._connections  # noqa: SLF001

    def create_task(self, coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """A request waits from now on: what comes behind it is refused, as behind the last one.

        The protocol lives until the task's callbacks are called, and its own is added later.
        """
        parser = self._parser
        self._before, parser.connection = parser.connection, _CLOSE
        task: asyncio.Task[Any] = self._create(coroutine)
        task.add_done_callback(self._answered)
        return task

    def _answered(self, task: asyncio.Task[Any]) -> None:
        self._parser.connection = self._before
        if self._left is not None:
            # After its own callback, which is next, and of which the loop is rid by then.
            self._application.loop.call_soon(let_go, self._left)
            self._left = None


def protocols(protocol: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What makes a protocol with a line of its own for each connection."""

    def make(application: Any) -> Any:
        line = Line(application)
        made = protocol(line)
        line.guard(made)
        return made

    return make


def let_go(protocol: Any) -> None:
    """The loop has kept it until this, and keeps it no longer."""


class Dropping(asyncio.Protocol):
    """Reads and drops the rest of a refused request, for a while."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = loop.call_later(TIMEOUTS.linger, transport.close)

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._timer.cancel()


def refuse_floods(
    connections: Iterable[Any], answer: Callable[[], bytes], loop: asyncio.AbstractEventLoop
) -> None:
    """Answer the requests that are too large before they are all there, and free what they took."""
    found: List[Any] = [one for one in connections if parser_of(one).too_large]
    for protocol in found:
        transport = protocol.transport
        if transport.is_closing():
            continue
        parser_of(protocol).forget()
        transport.write(answer())
        transport.set_protocol(Dropping(transport, loop))
        protocol.connection_lost(None)
