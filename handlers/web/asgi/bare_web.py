"""The site on ASGI itself, without a framework."""

from __future__ import annotations

from typing import AsyncIterator, Awaitable, Dict

from handlers.exchange import ClientLeft
from handlers.site import Site
from handlers.web import asgi
from handlers.web.asgi.application import Application
from handlers.web.table import Found, Table, cookies_in


def cookies_of(scope: asgi.Scope) -> Dict[str, str]:
    """Return the cookies of a request by their names."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie"]
    return cookies_in(";".join(values))


async def chunks_of(receive: asgi.Receive) -> AsyncIterator[bytes]:
    """Yield the parts of a request's body."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        yield message.get("body", b"")
        more = message.get("more_body", False)


def application(site: Site) -> Application:
    """Return the application with its routes."""
    handlers = [
        route.constant.encode() if route.constant is not None else asgi.answering(site, route)
        for route in site.routes
    ]
    table = Table(site.routes, handlers)

    def app(scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> Awaitable[None]:
        found = table.find(scope["method"], asgi.raw_path(scope))
        if found is None:
            return asgi.send_page(send, asgi.missing(site, scope))
        if isinstance(found[0], bytes):
            plain = [(b"content-type", b"text/plain; charset=utf-8")]
            return asgi.send_text(send, found[0], 200, plain)
        return show(found, scope, receive, send)

    async def show(found: Found, scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        answer, params = found
        cookies = cookies_of(scope)
        page = await answer(scope, cookies, params, lambda: chunks_of(receive))
        await asgi.send_page(send, page)

    return Application(app, site, lifespan=False)
