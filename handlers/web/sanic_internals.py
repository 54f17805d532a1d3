"""The parts of Sanic that are not public, in one place."""

from __future__ import annotations

from typing import Any

from sanic import __version__ as sanic_version
from sanic.exceptions import BadRequest
from sanic.http import Http

from handlers.web.lifecycle import finished

# The version of each lock that this module was checked with.
CHECKED = {"current": "25.12.1", "py37": "23.3.0"}


def refuse_negative_lengths() -> None:
    """Answer 400 to a body of fewer than 0 bytes, which Sanic before 24 reads without an end."""
    if sanic_version >= "24":
        return
    http_class: Any = Http
    chunks = http_class.__aiter__

    def checked(http: Any) -> Any:
        if http.request_bytes_left < 0:
            http.keep_alive, http.request_body = False, None
            raise BadRequest("Bad content-length")
        return chunks(http)

    http_class.__aiter__ = checked


async def drain(server: Any) -> None:
    """Stop accepting, let requests in flight finish, close idle connections.

    Sanic's own `shutdown` ends connections in which a request has arrived but was not read yet.
    """
    server.close()

    def close_idle() -> bool:
        for connection in list(server.connections):
            http = connection.http
            # A request that was received is answered, though the parser has not seen it yet.
            if http is not None and http.recv_buffer:
                continue
            if not connection.close_if_idle():
                # The connection ends after this request instead of waiting for another.
                http.keep_alive = False
        return not server.connections

    if not await finished(close_idle):
        for connection in list(server.connections):
            connection.transport.abort()
