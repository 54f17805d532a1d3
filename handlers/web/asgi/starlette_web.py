"""The site on Starlette."""

from __future__ import annotations

from typing import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route as Path

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application

Endpoint = Callable[[Request], Awaitable[Response]]


def to_response(page: Page) -> Response:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = Response(body, status, headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def endpoint(site: Site, route: Route) -> Endpoint:
    """Return the framework's handler for a route."""
    if route.constant is not None:
        text = route.constant

        async def constant(request: Request) -> Response:
            return PlainTextResponse(text)

        return constant

    answer = asgi.answering(site, route, ClientDisconnect)

    async def handle(request: Request) -> Response:
        params = tuple(request.path_params.values())
        return to_response(await answer(request.scope, request.cookies, params, request.stream))

    return handle


def application(site: Site) -> Application:
    """Return the application with its routes."""

    async def missing(request: Request, error: Exception) -> Response:
        return to_response(asgi.missing(site, request.scope))

    async def failed(request: Request, error: Exception) -> Response:
        if asgi.client_left(error):
            return Response()  # which nobody reads
        return to_response(site.failed(asgi.raw_path(request.scope), error))

    routes = [Path(it.path, endpoint(site, it), methods=[it.method]) for it in site.routes]
    app = Starlette(routes=routes, exception_handlers={HTTPException: missing, Exception: failed})
    app.router.redirect_slashes = False
    return Application(app, site)
