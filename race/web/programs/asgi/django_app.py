"""Index, Good and Ugly on Django's handler for ASGI."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

from race.web.programs import site
from race.web.programs.asgi import Make


def measured(response: HttpResponse) -> HttpResponse:
    """Return a response with its length, which CommonMiddleware sets in most projects."""
    response["Content-Length"] = str(len(response.content))
    return response


def page(make: Make) -> Callable[[HttpRequest], Awaitable[HttpResponse]]:
    """Return the view of a page."""

    async def view(request: HttpRequest) -> HttpResponse:
        known = request.COOKIES.get("session")
        agent = request.headers.get("User-Agent", "")
        try:
            html, session = await make(known, request.META["REMOTE_ADDR"], agent)
        except site.TooLate:
            return measured(HttpResponse(site.LATE, status=503, content_type="text/plain"))
        response = measured(HttpResponse(html, headers=site.HEADERS))
        if known is None:
            response.set_cookie("session", session, httponly=True, samesite="Lax")
        return response

    return view


async def ugly(request: HttpRequest) -> HttpResponse:
    """Answer Ugly."""
    return measured(HttpResponse("UGLY", content_type="text/plain; charset=utf-8"))


def set_up(urls: list[Any]) -> None:
    """Set Django up with these URLs, without middleware."""
    module = ModuleType("urls")
    vars(module)["urlpatterns"] = urls
    settings.configure(
        ROOT_URLCONF=module,
        ALLOWED_HOSTS=["*"],
        MIDDLEWARE=[],
        LOGGING_CONFIG=None,
        SECRET_KEY=secrets.token_hex(),
    )
    django.setup()


def application(index: Make, good: Make) -> Any:
    """Return the application."""
    set_up([path("ugly", ugly), path("", page(index)), path("good", page(good))])
    return get_asgi_application()
