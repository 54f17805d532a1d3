"""The site on Falcon, its form for WSGI."""

from __future__ import annotations

from typing import Any, Callable

from falcon import App, HTTPError, Request, Response
from falcon.constants import MEDIA_TEXT

from handlers.site import Route, Site
from handlers.web import wsgi
from handlers.web.asgi.falcon_web import fill, resources
from handlers.web.wsgi.application import Application

Responder = Callable[..., None]


def responder(site: Site, route: Route) -> Responder:
    """Return the framework's handler for a route."""
    if route.constant is not None:
        text = route.constant

        def constant(request: Request, response: Response) -> None:
            response.content_type = MEDIA_TEXT
            response.text = text

        return constant

    answer = wsgi.answering(site, route)

    def respond(request: Request, response: Response, **params: str) -> None:
        values = tuple(params.values())
        fill(response, answer(request.env, request.cookies, values, request.stream))

    return respond


def application(site: Site) -> Application:
    """Return the application with its routes."""

    def missing(request: Request, response: Response, *error: Any, **params: Any) -> None:
        fill(response, wsgi.missing(site, request.env))

    def failed(request: Request, response: Response, error: Any, params: Any) -> None:
        fill(response, site.failed(wsgi.raw_path(request.env), error))

    app = App()
    for path, resource in resources(site, responder).items():
        app.add_route(path, resource)
    app.add_error_handler(Exception, failed)
    app.add_error_handler(HTTPError, missing)
    return Application(app, site, exact=True)
