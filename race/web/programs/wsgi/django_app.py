"""Index, Good and Ugly on Django's handler for WSGI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

from race.web.programs import site
from race.web.programs.asgi.django_app import measured, set_up
from race.web.programs.wsgi import Make


def page(make: Make) -> Callable[[HttpRequest], HttpResponse]:
    """Return the view of a page."""

    def view(request: HttpRequest) -> HttpResponse:
        known = request.COOKIES.get("session")
        agent = request.headers.get("User-Agent", "")
        try:
            html, session = make(known, request.META["REMOTE_ADDR"], agent)
        except site.TooLate:
            return measured(HttpResponse(site.LATE, status=503, content_type="text/plain"))
        response = measured(HttpResponse(html, headers=site.HEADERS))
        if known is None:
            response.set_cookie("session", session, httponly=True, samesite="Lax")
        return response

    return view


def ugly(request: HttpRequest) -> HttpResponse:
    """Answer Ugly."""
    return measured(HttpResponse("UGLY", content_type="text/plain; charset=utf-8"))


def application(index: Make, good: Make) -> Any:
    """Return the application."""
    set_up([path("ugly", ugly), path("", page(index)), path("good", page(good))])
    return get_wsgi_application()
