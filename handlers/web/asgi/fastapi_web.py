"""The site on FastAPI."""

from __future__ import annotations

from typing import Any, Awaitable, Callable

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application


def to_response(page: Page) -> Response:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = Response(body, status, headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def handler(site: Site, route: Route) -> Callable[[Request], Awaitable[Response]]:
    """Return the framework's handler for a route."""
    answer = asgi.answering(site, route, ClientDisconnect)

    async def handle(request: Request) -> Response:
        params = tuple(request.path_params.values())
        return to_response(await answer(request.scope, request.cookies, params, request.stream))

    return handle


def constant(text: str) -> Callable[[], Awaitable[str]]:
    """Return the framework's handler for a route that answers a text."""

    async def handle() -> str:
        return text

    return handle


def application(site: Site) -> Application:
    """Return the application with its routes."""

    async def missing(request: Request, error: Exception) -> Response:
        return to_response(asgi.missing(site, request.scope))

    async def failed(request: Request, error: Exception) -> Response:
        if asgi.client_left(error):
            return Response()  # which nobody reads
        return to_response(site.failed(asgi.raw_path(request.scope), error))

    handlers: Any = {HTTPException: missing, Exception: failed}
    app = FastAPI(openapi_url=None, redirect_slashes=False, exception_handlers=handlers)
    for route in site.routes:
        methods = ["GET", "HEAD"] if route.method == "GET" else [route.method]
        if route.constant is not None:
            text = constant(route.constant)
            app.add_api_route(route.path, text, methods=methods, response_class=PlainTextResponse)
        else:
            app.add_api_route(route.path, handler(site, route), methods=methods)
    return Application(app, site)
