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
# Bytes of the head of a request. httptools has no limit for it; h11 has its own.
MOST_HEAD = 64 * 1024


class UvicornServer(uvicorn.Server):
    """uvicorn that leaves the signals to the code that started it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def limited_protocol() -> Any:
    """Return uvicorn's HTTP protocol with a limit for the head of a request."""
    protocol: Any = AutoHTTPProtocol
    if not hasattr(protocol, "on_url"):
        return protocol

    class LimitedProtocol(protocol):  # type: ignore[misc]
        unfinished: Any = None
        received = 0

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.scope is not self.scope:
                self.count(len(data))

        def count(self, size: int) -> None:
            """Count these bytes of a head; the first ones may belong to a request before it."""
            if self.scope is not self.unfinished:
                self.unfinished, self.received = self.scope, 0
                return
            self.received += size
            if self.received > MOST_HEAD:
                self.logger.warning(MALFORMED)
                self.send_400_response(MALFORMED)

    return LimitedProtocol
