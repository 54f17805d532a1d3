"""The site on Django's handler for ASGI."""

from __future__ import annotations

import secrets
from types import ModuleType
from typing import Any, AsyncIterator, Awaitable, Callable, Dict

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path as url

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application
from handlers.web.lifecycle import ignore

View = Callable[..., Awaitable[HttpResponse]]


def to_response(page: Page) -> HttpResponse:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = measured(HttpResponse(body, status=status, headers=headers))
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def measured(response: HttpResponse) -> HttpResponse:
    """Return a response with its length, which Django leaves to its CommonMiddleware."""
    response["Content-Length"] = str(len(response.content))
    return response


def handler(site: Site, route: Route) -> View:
    """Return the function that answers one method of a URL."""
    if route.constant is not None:
        text = route.constant

        async def constant(request: Any) -> HttpResponse:
            return measured(HttpResponse(text, content_type="text/plain; charset=utf-8"))

        return constant

    answer = asgi.answering(site, route)

    async def handle(request: Any, **params: str) -> HttpResponse:
        async def chunks() -> AsyncIterator[bytes]:
            yield request.read()  # Django has read the whole body

        values = tuple(params.values())
        return to_response(await answer(request.scope, request.COOKIES, values, chunks))

    return handle


def view(site: Site, methods: Dict[str, View]) -> View:
    """Return the framework's handler for a URL, from the functions of its methods."""

    async def handle(request: Any, **params: str) -> HttpResponse:
        found = methods.get(request.method)
        if found is None:
            return to_response(asgi.missing(site, request.scope))
        return await found(request, **params)

    return handle


def by_path(site: Site, new: Callable[[Site, Route], Any]) -> Dict[str, Dict[str, Any]]:
    """Return the handler of each method of each path, made by ``new``."""
    found: Dict[str, Dict[str, Any]] = {}
    for route in site.routes:
        for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
            found.setdefault(route.path, {})[method] = new(site, route)
    return found


def set_up(site: Site, views: Dict[str, Any], missing: Callable[[Any], HttpResponse]) -> None:
    """Set Django up with the view of each path, for ASGI or WSGI."""

    def failed(request: HttpRequest) -> HttpResponse:
        return to_response(site.failed(request.path, RuntimeError("Django cannot answer")))

    patterns = [
        url(path[1:].replace("{", "<str:").replace("}", ">"), view) for path, view in views.items()
    ]
    urlconf = ModuleType("urls")
    vars(urlconf).update(
        urlpatterns=patterns,
        handler404=lambda request, exception: missing(request),
        handler500=failed,
    )
    settings.configure(
        ROOT_URLCONF=urlconf,
        ALLOWED_HOSTS=["*"],
        MIDDLEWARE=[],
        LOGGING_CONFIG=None,
        SECRET_KEY=secrets.token_hex(),
    )
    django.setup()
    ignore("django.request")  # a line for each request without a page


def application(site: Site) -> Application:
    """Return the application with its URLs."""
    views = {path: view(site, methods) for path, methods in by_path(site, handler).items()}
    set_up(site, views, lambda request: to_response(asgi.missing(site, request.scope)))
    return Application(get_asgi_application(), site, lifespan=False)
