"""The parts of uvicorn that are not public, in one place."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

# The version of each lock that this module was checked with.
CHECKED = {"current": "0.54.0"}

# The log message about a request that is malformed, which uvicorn answers by itself.
MALFORMED = "Invalid HTTP request"
# The most bytes in the head of a request. httptools has no limit for it; h11 has its own.
MOST_HEAD = 64 * 1024
# The most bytes that are parsed at once. uvicorn makes some 5 KB of objects for each request.
PIECE = 4096


class UvicornServer(uvicorn.Server):
    """uvicorn that leaves the signals to the code that started it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


_protocol: Any = AutoHTTPProtocol


class LimitedProtocol(_protocol):  # type: ignore[misc]
    """uvicorn's protocol on httptools, with limits for a head and for the requests that wait."""

    unfinished: Any = None
    received = 0
    # Bytes to parse once the requests before them are answered; until then reading is paused.
    held = b""

    def data_received(self, data: bytes) -> None:
        if self.held or self.pipeline or len(data) > PIECE:
            self.held += data
            self.parse_held()
            return
        # Nearly always nothing waits, and all of it is one piece.
        _protocol.data_received(self, data)
        if self.cycle is None or self.cycle.scope is not self.scope:
            self.count(len(data))

    def parse_held(self) -> None:
        """Parse the held bytes until a request has to wait for the answer to another."""
        while self.held and not self.pipeline and not self.transport.is_closing():
            piece, self.held = self.held[:PIECE], self.held[PIECE:]
            _protocol.data_received(self, piece)
            if self.cycle is None or self.cycle.scope is not self.scope:
                self.count(len(piece))
        if self.transport.is_closing():
            self.held = b""
        elif self.held:
            self.flow.pause_reading()

    def on_response_complete(self) -> None:
        _protocol.on_response_complete(self)
        # uvicorn has resumed reading; this pauses it again before the loop reads anything.
        if self.held:
            self.parse_held()

    def count(self, size: int) -> None:
        """Count the bytes of a head, without its first piece, which may have the request before."""
        if self.scope is not self.unfinished:
            self.unfinished, self.received = self.scope, 0
            return
        self.received += size
        if self.received > MOST_HEAD:
            self.logger.warning(MALFORMED)
            self.send_400_response(MALFORMED)


def limited_protocol() -> Any:
    """Return uvicorn's HTTP protocol with limits; h11, its other parser, has limits of its own."""
    return LimitedProtocol if hasattr(_protocol, "on_url") else _protocol
