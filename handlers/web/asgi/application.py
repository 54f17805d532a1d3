"""The application that a server gets, whatever framework it was made with."""

from __future__ import annotations

from typing import Any, Awaitable, MutableMapping
from urllib.parse import unquote_to_bytes

from handlers.exchange import MOST_DROPPED
from handlers.site import Site
from handlers.web import access_log
from handlers.web.asgi import App, Receive, Scope, Send, length_of, missing, raw_path, send_page


class Application:
    """A framework's application as servers get it; ``started`` says that its lifespan has begun.

    ASGI decodes the path as a whole, and a router would take ``%2F`` for a separator. Here it stays
    escaped in ``path``. WebSockets are refused. With ``exact``, a path with an empty segment and
    the method OPTIONS have no route, for frameworks that take "/good/" or "//good" for "/good" and
    answer OPTIONS by themselves; with ``lifespan=False``, it is never told of its start and end.

    A call returns a coroutine, the framework's own wherever possible: a coroutine around another
    one would cost every request time.
    """

    interface = "asgi"

    def __init__(self, app: Any, site: Site, exact: bool = False, lifespan: bool = True) -> None:
        self._app: App = app
        self._lifespan: App = app if lifespan else lives
        self._site = site
        self._exact = exact
        self._logs = access_log.wanted()
        # A GET of one of these paths needs none of the checks in ``_answer``.
        paths = [route.path.encode() for route in site.routes if "{" not in route.path]
        self._plain = frozenset(paths if not self._logs else ())
        self.started = False

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope.get("method") == "GET" and scope.get("raw_path") in self._plain:
            return self._app(scope, receive, send)
        if scope["type"] == "http":
            return self._answer(scope, receive, send)
        if scope["type"] == "lifespan":
            return self._live(scope, receive, send)
        return send({"type": "websocket.close"})

    def _answer(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if self._logs:
            send = logged(scope, send)
        raw = scope.get("raw_path") or b""
        if b"%2F" in raw or b"%2f" in raw:
            escaped = raw.replace(b"%2F", b"%252F").replace(b"%2f", b"%252f")
            scope["path"] = unquote_to_bytes(escaped).decode("utf-8", "replace")
        if self._exact and (b"//" in raw or raw[1:].endswith(b"/") or scope["method"] == "OPTIONS"):
            return send_page(send, missing(self._site, scope))
        if scope["method"] == "GET":
            return self._app(scope, receive, send)
        if length_of(scope) > MOST_DROPPED:
            # Refused before a framework reads any of it.
            return send_page(send, self._site.too_large(raw_path(scope)))
        return self._change(scope, receive, send)

    async def _change(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may have a body.

        Some frameworks answer nothing if the body ends too early. Granian ends a malformed one so.
        """
        answered = False

        async def noting(message: MutableMapping[str, Any]) -> None:
            nonlocal answered
            answered = True
            await send(message)

        await self._app(scope, receive, noting)
        if not answered:
            await send_page(send, self._site.malformed(raw_path(scope)))

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: MutableMapping[str, Any]) -> None:
            await send(message)
            self.started = message["type"] == "lifespan.startup.complete"

        await self._lifespan(scope, receive, noting)


async def lives(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer the lifespan's events in place of an application that knows none."""
    for event in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{event}.complete"})


def logged(scope: Scope, send: Send) -> Send:
    """Return ``send`` with a line in the access log when the response to a request starts."""

    async def noting(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            access_log.note(scope["method"], raw_path(scope), message["status"])
        await send(message)

    return noting
