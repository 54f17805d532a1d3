"""The site on RSGI, Granian's own interface, without a framework."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from handlers.exchange import (
    MOST_DROPPED,
    SESSION,
    ClientLeft,
    CookieVisit,
    Page,
    TooLarge,
    announced,
    read,
)
from handlers.site import Route, Site
from handlers.web import access_log
from handlers.web.table import Table, cookies_in


class RsgiVisit(CookieVisit):
    """The ``Visit`` of a request."""

    __slots__ = ("_scope", "body", "params")

    def __init__(self, scope: Any, body: bytes, params: Tuple[str, ...]) -> None:
        self._scope = scope
        self._cookies = cookies_in(scope.headers.get("cookie") or "")
        self.body = body
        self.params = params

    @property
    def address(self) -> str:
        host: str = self._scope.client.rpartition(":")[0]
        return host.strip("[]")

    @property
    def agent(self) -> str:
        return self._scope.headers.get("user-agent") or ""

    @property
    def authorization(self) -> Optional[str]:
        found: Optional[str] = self._scope.headers.get("authorization")
        return found

    @property
    def query(self) -> str:
        query: str = self._scope.query_string
        return query


class Application:
    """The application that Granian gets; ``started`` says that its event loop has it."""

    interface = "rsgi"

    def __init__(self, site: Site) -> None:
        self._site = site
        self._table = Table(site.routes, site.routes)
        self._logs = access_log.wanted()
        self.started = False

    def __rsgi_init__(self, loop: Any) -> None:
        self.started = True

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        # The path comes decoded, and the table would decode it once more.
        found = self._table.find(scope.method, scope.path.replace("%", "%25"))
        if found is None:
            self._send(scope, protocol, self._site.missing(scope.method, scope.path))
            return
        route, params = found
        if route.constant is None:
            self._send(scope, protocol, await self._page(scope, protocol, route, params))
            return
        protocol.response_str(200, [("content-type", "text/plain; charset=utf-8")], route.constant)
        if self._logs:
            access_log.note(scope.method, scope.path, 200)

    async def _page(self, scope: Any, protocol: Any, route: Route, params: Tuple[str, ...]) -> Page:
        respond: Any = route.respond
        try:
            body = await body_of(scope, protocol) if route.takes_body else b""
        except TooLarge:
            return self._site.too_large(scope.path)
        except ClientLeft:
            return self._site.malformed(scope.path)
        try:
            page: Any = respond(RsgiVisit(scope, body, params))
            made: Page = await page if route.waits else page
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            made = self._site.failed(route.path, error)
        return made

    def _send(self, scope: Any, protocol: Any, page: Page) -> None:
        body, kind, status, extra, session = page
        headers = list((dict(kind.all_headers, **extra) if extra else kind.all_headers).items())
        if session is not None:
            headers.append(("Set-Cookie", f"{SESSION}={session}; Path=/; HttpOnly; SameSite=Lax"))
        protocol.response_bytes(status, headers, body)
        if self._logs:
            access_log.note(scope.method, scope.path, status)


async def body_of(scope: Any, protocol: Any) -> bytes:
    """Return the body of a request; raise TooLarge or ClientLeft."""
    length = announced(scope.headers.get("content-length") or "")
    if length > MOST_DROPPED:
        raise TooLarge
    return await read(protocol, length)


def application(site: Site) -> Application:
    """Return the application with its routes."""
    return Application(site)
