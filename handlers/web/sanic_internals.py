"""The parts of Sanic that are not public, in one place."""

from __future__ import annotations

import re
from typing import Any

from sanic.exceptions import BadRequest
from sanic.http import Http
from sanic.server import HttpProtocol

from handlers.web.lifecycle import finished

# The version of each lock that this module was checked with.
CHECKED = {"current": "25.12.1", "py37": "23.3.0"}

# The length of a body, in the head of its request; Sanic strips more than blanks from a header.
LENGTH = re.compile(rb"(?i)\r\ncontent-length:[ \t]*[0-9]+[ \t]*(?:\r\n|\Z)")
# The headers that say how long a body is, however their lines end.
FRAMING = re.compile(rb"(?i)[\r\n](?:content-length|transfer-encoding)[ \t]*:")
# The length of a chunk, and how many bytes Sanic searches for its end.
CHUNK = re.compile(rb"\r\n[0-9A-Fa-f]+(?:;[^\0\r\n]*)?\r\n")
LONGEST_CHUNK = 64


class StrictHttp(Http):
    """Sanic's parser, which refuses a length that HTTP does not have, and a second length.

    Sanic takes for a number what Python does: "0x3", Arabic digits; before version 24 also "-1",
    whose body it would read without an end. Version 23 also takes the first of two lengths, and a
    coding before a length.
    """

    __slots__ = ()
    request_body: Any  # True, "chunked", or None at its end

    async def read(self) -> Any:
        """Return some bytes of the body, None at its end."""
        head = self.request.head
        if len(FRAMING.findall(head)) > 1:
            right: Any = False
        elif self.request_body == "chunked":
            right = self.request_bytes_left or await self._chunk_is_right()
        else:
            right = LENGTH.search(head)
        if not right:
            self.keep_alive, self.request_body = False, None
            raise BadRequest("Bad length of a body")
        return await super().read()

    async def _chunk_is_right(self) -> bool:
        buffer = self.recv_buffer
        while buffer.find(b"\r\n", 2) < 0 and len(buffer) <= LONGEST_CHUNK:
            await self._receive_more()
        return CHUNK.match(buffer) is not None


class StrictProtocol(HttpProtocol):
    """A connection of Sanic with the strict parser."""

    HTTP_CLASS = StrictHttp
    __slots__ = ()


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
