"""Requests and pages in ASGI, for every framework that speaks it; none is imported here."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, List, Mapping, MutableMapping, Optional, Tuple
from urllib.parse import unquote_to_bytes

from handlers.exchange import BODY_LIMIT, MANAGER, SESSION
from handlers.web import access_log

# A body over the limit is read and dropped up to this size, because an answer that is sent before
# the body has arrived is lost with the connection. It must be below the limit of `client_timeouts`.
MOST_DROPPED = 3 * 2**19
MOST_DIGITS = 20

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class TooLarge(Exception):
    """The body is over BODY_LIMIT."""


class ClientLeft(Exception):
    """The client left in the middle of its body."""


class AsgiVisit:
    """The ``Visit`` of a request; the adapter gives the cookies, which its framework reads."""

    __slots__ = ("_cookies", "_scope", "body", "params")

    def __init__(
        self, scope: Scope, cookies: Mapping[str, str], body: bytes, params: Tuple[str, ...]
    ) -> None:
        self._scope = scope
        self._cookies = cookies
        self.body = body
        self.params = params

    @property
    def session(self) -> Optional[str]:
        return self._cookies.get(SESSION)

    @property
    def manager(self) -> Optional[str]:
        return self._cookies.get(MANAGER)

    @property
    def address(self) -> str:
        # None when the client left before the server could ask for its address.
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
    """Return the body of a request; raise TooLarge or ClientLeft."""
    if _length(scope) > MOST_DROPPED:
        raise TooLarge
    parts: List[bytes] = []
    size = 0
    while size < MOST_DROPPED:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
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
    """Return the length that a request announces for its body, 0 if it announces none."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) < MOST_DIGITS else 0
    return 0


def raw_path(scope: Scope) -> str:
    """Return the path as it was sent."""
    raw: Optional[bytes] = scope.get("raw_path")
    return scope["path"] if raw is None else raw.decode("latin-1")


def client_left(error: BaseException) -> bool:
    """Return whether the error only says that the client closed before it was answered.

    uvloop raises this RuntimeError for a write to a closed transport, which asyncio ignores.
    """
    return isinstance(error, RuntimeError) and "handler is closed" in str(error)


def slashes_kept(app: App) -> App:
    """Return the application with escaped slashes left escaped in ``path``.

    ASGI decodes the path as a whole, so a router would take ``%2F`` for a separator.
    """

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if b"%2F" in raw or b"%2f" in raw:
            escaped = raw.replace(b"%2F", b"%252F").replace(b"%2f", b"%252f")
            scope["path"] = unquote_to_bytes(escaped).decode("utf-8", "replace")
        await app(scope, receive, send)

    return application


def logged(app: App) -> App:
    """Return the application with a line in the access log for each response that starts."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                access_log.note(scope["method"], raw_path(scope), message["status"])
            await send(message)

        await app(scope, receive, noting)

    return application
