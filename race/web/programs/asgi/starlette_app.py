"""Index, Good and Ugly on Starlette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from race.web.programs import site
from race.web.programs.asgi import Make


def page(make: Make) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a page."""

    async def endpoint(request: Request) -> Response:
        known = request.cookies.get("session")
        agent = request.headers.get("user-agent", "")
        client: Any = request.client
        try:
            html, session = await make(known, client.host, agent)
        except site.TooLate:
            return PlainTextResponse(site.LATE, 503)
        response = HTMLResponse(html, headers=site.HEADERS)
        if known is None:
            response.set_cookie("session", session, httponly=True, samesite="lax")
        return response

    return endpoint


async def ugly(request: Request) -> Response:
    """Answer Ugly."""
    return PlainTextResponse("UGLY")


def application(index: Make, good: Make) -> Any:
    """Return the application."""
    return Starlette(
        routes=[Route("/ugly", ugly), Route("/", page(index)), Route("/good", page(good))]
    )
