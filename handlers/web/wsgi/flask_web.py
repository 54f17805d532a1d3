"""The site on Flask."""

from __future__ import annotations

from typing import Any, Callable

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.web import wsgi
from handlers.web.wsgi.application import Application


def to_response(page: Page) -> Response:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers: Any = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = Response(body, status, headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def view(site: Site, route: Route) -> Callable[..., Response]:
    """Return the framework's handler for a route."""
    if route.constant is not None:
        text = route.constant

        def constant() -> Response:
            return Response(text, mimetype="text/plain")

        return constant

    answer = wsgi.answering(site, route)

    def handle(**params: str) -> Response:
        values = tuple(params.values())
        return to_response(answer(request.environ, request.cookies, values, request.stream))

    return handle


def application(site: Site) -> Application:
    """Return the application with its routes."""
    app = Flask("stickers", static_folder=None)
    app.url_map.merge_slashes = False
    for number, route in enumerate(site.routes):
        path = route.path.replace("{", "<").replace("}", ">")
        app.add_url_rule(
            path,
            f"route{number}",
            view(site, route),
            methods=[route.method],
            provide_automatic_options=False,
        )

    def missing(error: Exception) -> Response:
        return to_response(wsgi.missing(site, request.environ))

    def failed(error: Exception) -> Response:
        return to_response(site.failed(wsgi.raw_path(request.environ), error))

    app.register_error_handler(HTTPException, missing)
    app.register_error_handler(Exception, failed)
    return Application(app, site, exact=True)
