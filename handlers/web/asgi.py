"""Requests and pages in the words of ASGI, for every framework that speaks it.

An adapter for one is a route table and a server; it imports its framework, this module does not.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, List, MutableMapping, Optional, Tuple
from urllib.parse import unquote_to_bytes

from handlers.exchange import BODY_LIMIT
from handlers.web import access_log

# What is read and dropped of a body over the limit: an answer sent before it has all come would be
# lost with the connection. More than ``client_timeouts.MOST_UNANSWERED`` would be cut off.
MOST_DROPPED = 3 * 2**19
MOST_DIGITS = 20

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class TooLarge(Exception):
    """The body is over BODY_LIMIT."""


class Gone(Exception):
    """The client left in the middle of its body."""


class Asked:
    """``exchange.Visit`` of a request; the session is what the framework reads of the cookies."""

    __slots__ = ("_scope", "body", "params", "session")

    def __init__(
        self, scope: Scope, session: Optional[str], body: bytes, params: Tuple[str, ...]
    ) -> None:
        self._scope = scope
        self.session = session
        self.body = body
        self.params = params

    @property
    def address(self) -> str:
        # None where the client was gone before the server could ask who it is.
        client = self._scope["client"]
        return client[0] if client else ""

    @property
    def agent(self) -> str:
        return self._header(b"user-agent") or ""

    @property
    def authorization(self) -> Optional[str]:
        return self._header(b"authorization")

    @property
    def query(self) -> str:
        query: bytes = self._scope["query_string"]
        return query.decode("latin-1")

    def _header(self, wanted: bytes) -> Optional[str]:
        for name, value in self._scope["headers"]:
            if name == wanted:
                text: str = value.decode("latin-1")
                return text
        return None


async def read(scope: Scope, receive: Receive) -> bytes:
    """The body of a request; TooLarge, or Gone."""
    if _length(scope) > MOST_DROPPED:
        raise TooLarge
    parts: List[bytes] = []
    size = 0
    while size < MOST_DROPPED:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        part = message.get("body", b"")
        size += len(part)
        if size <= BODY_LIMIT:
            parts.append(part)
        if not message.get("more_body"):
            break
    if size > BODY_LIMIT:
        raise TooLarge
    return b"".join(parts)


def _length(scope: Scope) -> int:
    """What a request says of the length of its body; 0 where nothing."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) < MOST_DIGITS else 0
    return 0


def raw_path(scope: Scope) -> str:
    """The path as it was sent."""
    raw: Optional[bytes] = scope.get("raw_path")
    return scope["path"] if raw is None else raw.decode("latin-1")


def departed(error: BaseException) -> bool:
    """Whether it only says that the client closed before it was answered.

    uvloop has no other word for a write to a transport that is closed; asyncio ignores it.
    """
    return isinstance(error, RuntimeError) and "handler is closed" in str(error)


def slashes_kept(app: App) -> App:
    """The application with escaped slashes left as they are in ``path``, where they are no slashes.

    ASGI's path is decoded as a whole, so that a router takes ``%2F`` for a separator.
    """

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if b"%2F" in raw or b"%2f" in raw:
            escaped = raw.replace(b"%2F", b"%252F").replace(b"%2f", b"%252f")
            scope["path"] = unquote_to_bytes(escaped).decode("utf-8", "replace")
        await app(scope, receive, send)

    return application


def logged(app: App) -> App:
    """The application with a line in the access log for each request, once its answer begins."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                access_log.note(scope["method"], raw_path(scope), message["status"])
            await send(message)

        await app(scope, receive, noting)

    return application
