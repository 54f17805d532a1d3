"""The site on BlackSheep."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict

from blacksheep import Application as BlackSheep
from blacksheep import Content, Cookie, Request, Response, Router, text
from blacksheep.cookies import CookieSameSiteMode
from blacksheep.exceptions import MessageAborted

from handlers.exchange import SESSION, Page, fields_of
from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application
from handlers.web.lifecycle import ignore

Handler = Callable[[Request], Awaitable[Response]]


def to_response(page: Page) -> Response:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    # The first of a kind's own is the type, which BlackSheep takes from the content.
    fields = fields_of(dict(kind.headers, **extra)) if extra else kind.fields[1:]
    response = Response(status, fields, Content(kind.content_type.encode(), body))
    if session is not None:
        lax = CookieSameSiteMode.LAX
        response.set_cookie(Cookie(SESSION, session, path="/", http_only=True, same_site=lax))
    return response


def cookies_of(request: Request) -> Dict[str, str]:
    """Return the cookies of a request, none if they are not UTF-8."""
    try:
        return request.cookies
    except UnicodeDecodeError:
        return {}


def handler(site: Site, route: Route) -> Handler:
    """Return the framework's handler for a route."""
    if route.constant is not None:
        plain = route.constant

        async def constant(request: Request) -> Response:
            return text(plain)

        return constant

    answer = asgi.answering(site, route, MessageAborted)

    async def handle(request: Request) -> Response:
        scope: Any = request.scope
        chunks: Any = request.stream
        params = tuple(value or "" for value in (request.route_values or {}).values())
        return to_response(await answer(scope, cookies_of(request), params, chunks))

    return handle


def application(site: Site) -> Application:
    """Return the application with its routes."""
    router = Router()
    for route in site.routes:
        for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
            router.add(method, route.path, handler(site, route))

    async def missing(request: Any) -> Response:
        return to_response(asgi.missing(site, request.scope))

    async def failed(app: BlackSheep, request: Any, error: Exception) -> Response:
        return to_response(site.failed(asgi.raw_path(request.scope), error))

    router.fallback = missing
    app = BlackSheep(router=router)
    app.exceptions_handlers[Exception] = failed
    ignore("blacksheep.server")  # a line for each request that fails; the site has one of its own
    return Application(app, site, exact=True)
