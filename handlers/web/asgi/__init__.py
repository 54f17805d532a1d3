"""Requests and pages in ASGI, for every framework that speaks it; none is imported here.

A framework's module has the function ``application(site)``, which returns an ``Application`` of
``application.py``. It holds what the framework's users write: routes, a handler that calls what
``answering`` returns, and the framework's own response.
"""

from __future__ import annotations

from typing import (
    Any,
    AsyncIterable,
    Awaitable,
    Callable,
    List,
    Mapping,
    MutableMapping,
    Optional,
    Tuple,
    Type,
)

from handlers.exchange import (
    SESSION,
    ClientLeft,
    CookieVisit,
    Page,
    TooLarge,
    announced,
    fields_of,
    read,
)
from handlers.site import Route, Site

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Fields = List[Tuple[bytes, bytes]]
# A function that begins to read the body, through the framework's own interface.
Chunks = Callable[[], AsyncIterable[bytes]]
# A function of the scope, the cookies as the framework reads them, the parameters of the path, and
# the chunks of the body.
Answer = Callable[[Scope, Mapping[str, str], Tuple[str, ...], Chunks], Awaitable[Page]]


class AsgiVisit(CookieVisit):
    """The ``Visit`` of a request, whose cookies the framework has read."""

    __slots__ = ("_scope", "body", "params")

    def __init__(
        self, scope: Scope, cookies: Mapping[str, str], body: bytes, params: Tuple[str, ...]
    ) -> None:
        self._scope = scope
        self._cookies = cookies
        self.body = body
        self.params = params

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


def answering(site: Site, route: Route, *left: Type[BaseException]) -> Answer:
    """Return the function that makes the page of a route from the parts of a request.

    The framework raises one of ``left`` when the client leaves in the middle of its body.
    """
    respond: Any = route.respond
    takes_body, waits = route.takes_body, route.waits
    gone: Tuple[Type[BaseException], ...] = (ClientLeft, *left)

    async def answer(
        scope: Scope, cookies: Mapping[str, str], params: Tuple[str, ...], chunks: Chunks
    ) -> Page:
        try:
            body = await read(chunks(), length_of(scope)) if takes_body else b""
        except TooLarge:
            return site.too_large(raw_path(scope))
        except gone:
            return site.malformed(raw_path(scope))
        try:
            page: Any = respond(AsgiVisit(scope, cookies, body, params))
            made: Page = await page if waits else page
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            made = site.failed(route.path, error)
        return made

    return answer


def length_of(scope: Scope) -> int:
    """Return the length that a request announces for its body, 0 if it announces none."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return announced(value)
    return 0


def raw_path(scope: Scope) -> str:
    """Return the path as it was sent."""
    raw: Optional[bytes] = scope.get("raw_path")
    return scope["path"] if raw is None else raw.decode("latin-1")


def missing(site: Site, scope: Scope) -> Page:
    """Return the page for a request without a route."""
    return site.missing(scope["method"], raw_path(scope))


def client_left(error: BaseException) -> bool:
    """Return whether the error only says that the client closed before it was answered.

    uvloop raises a RuntimeError for a write to a closed transport; asyncio ignores the write.
    """
    return isinstance(error, RuntimeError) and "handler is closed" in str(error)


async def send_page(send: Send, page: Page) -> None:
    """Send a page in ASGI's own messages, without a framework."""
    body, kind, status, extra, session = page
    fields = fields_of(dict(kind.all_headers, **extra)) if extra else kind.fields.copy()
    if session is not None:
        cookie = f"{SESSION}={session}; Path=/; HttpOnly; SameSite=Lax"
        fields.append((b"set-cookie", cookie.encode()))
    await send_text(send, body, status, fields)


async def send_text(send: Send, body: bytes, status: int, fields: Fields) -> None:
    """Send a response with its length."""
    fields.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})
