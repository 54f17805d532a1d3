"""Requests and pages in the words of ASGI, for every framework that speaks it.

An adapter for one is a route table and a server; it imports its framework, this module does not.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, List, MutableMapping, Optional, Tuple
from urllib.parse import unquote_to_bytes

from handlers.exchange import BODY_LIMIT, Page, Visit

# What is read and dropped of a body over the limit: an answer sent before it has all come would be
# lost with the connection.
MOST_DROPPED = 16 * 2**20

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class TooLarge(Exception):
    """The body is over BODY_LIMIT."""


class Gone(Exception):
    """The client left in the middle of its body."""


def to_visit(scope: Scope, body: bytes, params: Tuple[str, ...]) -> Visit:
    """What the pages may know of a request, but for the session: a framework reads cookies."""
    # None where the client was gone before the server could ask who it is.
    client = scope["client"]
    visit = Visit(address=client[0] if client else "", body=body, params=params)
    visit.query = scope["query_string"].decode("latin-1")
    for name, value in scope["headers"]:
        if name == b"user-agent":
            visit.agent = value.decode("latin-1")
        elif name == b"authorization":
            visit.authorization = value.decode("latin-1")
    return visit


async def read(receive: Receive) -> bytes:
    """The body of a request; TooLarge, or Gone."""
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


def headers(page: Page) -> Dict[str, str]:
    """All headers of a page but its length and its cookie."""
    return dict(page.kind.all_headers, **page.extra) if page.extra else page.kind.all_headers


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
