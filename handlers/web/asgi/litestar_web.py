"""The site on Litestar."""

from __future__ import annotations

from typing import Any, Callable, Dict

from litestar import Litestar, Request, Response, route
from litestar.exceptions import HTTPException, InternalServerException

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application

# Litestar's values for SameSite are in lower case.
COOKIE: Dict[str, Any] = dict(SESSION_OPTIONS, samesite="lax")


def to_response(page: Page) -> Response[bytes]:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.headers, **extra) if extra else kind.headers
    # Litestar adds the charset to a text by itself, and to no other type.
    kind_of = kind.mime if kind.mime.startswith("text/") else kind.content_type
    response = Response(body, status_code=status, headers=headers, media_type=kind_of)
    if session is not None:
        response.set_cookie(SESSION, session, **COOKIE)
    return response


def handler(site: Site, it: Route) -> Callable[..., Any]:
    """Return the framework's handler for a route."""
    if it.constant is not None:
        text = it.constant

        async def constant() -> str:
            return text

        return constant

    answer = asgi.answering(site, it, InternalServerException)

    async def handle(request: Request[Any, Any, Any]) -> Response[bytes]:
        params = tuple(request.path_params.values())
        scope: Any = request.scope
        return to_response(await answer(scope, request.cookies, params, request.stream))

    return handle


def application(site: Site) -> Application:
    """Return the application with its routes."""

    def missing(request: Any, error: Exception) -> Response[bytes]:
        return to_response(asgi.missing(site, request.scope))

    def failed(request: Any, error: Exception) -> Response[bytes]:
        if asgi.client_left(error):
            return Response(b"")  # which nobody reads
        return to_response(site.failed(asgi.raw_path(request.scope), error))

    handlers = []
    for it in site.routes:
        methods: Any = ["GET", "HEAD"] if it.method == "GET" else [it.method]
        path = it.path.replace("}", ":str}")
        handlers.append(route(path, http_method=methods, status_code=200)(handler(site, it)))
    app = Litestar(
        handlers,
        openapi_config=None,
        logging_config=None,
        request_max_body_size=None,  # the site has its own limit
        exception_handlers={HTTPException: missing, Exception: failed},
    )
    return Application(app, site, exact=True)
