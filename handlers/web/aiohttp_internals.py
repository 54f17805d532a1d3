"""The parts of aiohttp that are not public, in one place."""

from __future__ import annotations

from collections import deque
from typing import Any

from aiohttp import web_server
from aiohttp.web_protocol import RequestHandler

# The version of each lock that this module was checked with.
CHECKED = {"current": "3.14.5", "py37": "3.8.6"}
# A connection on which more requests wait for the one before them is not read.
MOST_WAITING = 16


class WaitingRequests(deque):  # type: ignore[type-arg]
    """The requests of a connection that wait; it is read again when the last one is taken."""

    protocol: Any

    def popleft(self) -> Any:
        if len(self) == 1:
            self.protocol.resume_reading()
        return super().popleft()


def limit_waiting_requests() -> None:
    """Let few requests of a connection wait, which aiohttp does by itself from 3.14 on."""
    handler: Any = RequestHandler
    if hasattr(handler, "_max_msg_queue_size"):
        return

    class LimitedHandler(handler):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._messages: Any = WaitingRequests()
            self._messages.protocol = self

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if len(self._messages) > MOST_WAITING:
                self.pause_reading()

    server: Any = web_server
    server.RequestHandler = LimitedHandler
