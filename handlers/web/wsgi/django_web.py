"""The site on Django's handler for WSGI."""

from __future__ import annotations

from typing import Any, Callable, Dict

from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse

from handlers.site import Route, Site
from handlers.web import wsgi
from handlers.web.asgi.django_web import by_path, measured, set_up, to_response
from handlers.web.wsgi.application import Application

View = Callable[..., HttpResponse]


def handler(site: Site, route: Route) -> View:
    """Return the function that answers one method of a URL."""
    if route.constant is not None:
        text = route.constant

        def constant(request: Any) -> HttpResponse:
            return measured(HttpResponse(text, content_type="text/plain; charset=utf-8"))

        return constant

    answer = wsgi.answering(site, route)

    def handle(request: Any, **params: str) -> HttpResponse:
        values = tuple(params.values())
        # Django's own stream is empty where a body has no length, but chunks.
        stream = request.environ["wsgi.input"]
        return to_response(answer(request.environ, request.COOKIES, values, stream))

    return handle


def view(site: Site, methods: Dict[str, View]) -> View:
    """Return the framework's handler for a URL, from the functions of its methods."""

    def handle(request: Any, **params: str) -> HttpResponse:
        found = methods.get(request.method)
        if found is None:
            return to_response(wsgi.missing(site, request.environ))
        return found(request, **params)

    return handle


def application(site: Site) -> Application:
    """Return the application with its URLs."""
    views = {path: view(site, methods) for path, methods in by_path(site, handler).items()}
    set_up(site, views, lambda request: to_response(wsgi.missing(site, request.environ)))
    return Application(get_wsgi_application(), site)
