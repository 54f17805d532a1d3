"""The site on Falcon."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any, Awaitable, Callable, Dict

from falcon import HTTPError
from falcon.asgi import App, Request, Response
from falcon.constants import MEDIA_TEXT

from handlers.exchange import SESSION, ClientLeft, Page
from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application

Responder = Callable[..., Awaitable[None]]
# Falcon raises for others.
VERSIONS = ("1.1", "1.0", "2", "3")


def fill(response: Any, page: Page) -> None:
    """Fill the framework's response with a page."""
    body, kind, status, extra, session = page
    response.data, response.status = body, status
    response.set_headers(dict(kind.all_headers, **extra) if extra else kind.all_headers)
    if session is not None:
        response.set_cookie(
            SESSION, session, path="/", http_only=True, same_site="Lax", secure=False
        )


def resources(site: Site, new: Callable[[Site, Route], Any]) -> Dict[str, Any]:
    """Return the resource of each path, whose responders are made by ``new``."""
    found: Dict[str, Any] = {}
    for route in site.routes:
        resource = found.setdefault(route.path, SimpleNamespace())
        for method in ("get", "head") if route.method == "GET" else (route.method.lower(),):
            setattr(resource, f"on_{method}", new(site, route))
    return found


def responder(site: Site, route: Route) -> Responder:
    """Return the framework's handler for a route."""
    if route.constant is not None:
        text = route.constant

        async def constant(request: Request, response: Response) -> None:
            response.content_type = MEDIA_TEXT
            response.text = text

        return constant

    answer = asgi.answering(site, route)

    async def respond(request: Request, response: Response, **params: str) -> None:
        values = tuple(params.values())
        # Falcon makes a stream when it is asked for.
        page = await answer(request.scope, request.cookies, values, lambda: request.stream)
        fill(response, page)

    return respond


def guarded(app: Any) -> asgi.App:
    """Return Falcon's application, which an error ends if the client leaves amid its body.

    Falcon by itself takes the end of the connection for the end of the body. Granian writes "1" for
    HTTP/1.0, and Hypercorn takes any version.
    """

    def application(scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> Awaitable[None]:
        if scope["type"] == "http" and scope["http_version"] not in VERSIONS:
            scope["http_version"] = "1.0"
        if scope.get("method") == "GET":
            return app(scope, receive, send)  # type: ignore[no-any-return]
        return with_body(scope, receive, send)

    async def with_body(scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        async def receiving() -> Any:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientLeft
            return message

        with contextlib.suppress(ClientLeft):
            await app(scope, receiving, send)

    return application


def application(site: Site) -> Application:
    """Return the application with its routes."""

    async def missing(request: Request, response: Response, *error: Any, **params: Any) -> None:
        fill(response, asgi.missing(site, request.scope))

    async def failed(request: Request, response: Response, error: Any, params: Any) -> None:
        fill(response, site.failed(asgi.raw_path(request.scope), error))

    app = App()
    for path, resource in resources(site, responder).items():
        app.add_route(path, resource)
    app.add_error_handler(Exception, failed)
    app.add_error_handler(HTTPError, missing)
    return Application(guarded(app), site, exact=True)
