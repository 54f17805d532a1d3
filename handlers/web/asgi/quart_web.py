"""The site on Quart."""

from __future__ import annotations

from typing import Any, Awaitable, Callable

from quart import Quart, Response, request
from quart.wrappers.base import ClientDisconnectedError
from werkzeug.exceptions import HTTPException

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application


def to_response(page: Page) -> Response:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers: Any = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = Response(body, status, headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def view(site: Site, route: Route) -> Callable[..., Awaitable[Response]]:
    """Return the framework's handler for a route."""
    if route.constant is not None:
        text = route.constant

        async def constant() -> Response:
            return Response(text, mimetype="text/plain")

        return constant

    answer = asgi.answering(site, route, ClientDisconnectedError)

    async def handle(**params: str) -> Response:
        scope: Any = request.scope
        values, body = tuple(params.values()), request.body.__aiter__
        return to_response(await answer(scope, request.cookies, values, body))

    return handle


def application(site: Site) -> Application:
    """Return the application with its routes."""
    app = Quart("stickers", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = None  # the site has its own limit
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

    async def missing(error: Exception) -> Response:
        return to_response(asgi.missing(site, request.scope))  # type: ignore[arg-type]

    async def failed(error: Exception) -> Response:
        return to_response(site.failed(asgi.raw_path(request.scope), error))  # type: ignore[arg-type]

    app.register_error_handler(HTTPException, missing)
    app.register_error_handler(Exception, failed)
    return Application(app, site, exact=True)
