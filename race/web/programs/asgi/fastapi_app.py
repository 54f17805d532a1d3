"""Index, Good and Ugly on FastAPI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

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


async def ugly() -> str:
    """Answer Ugly."""
    return "UGLY"


def application(index: Make, good: Make) -> Any:
    """Return the application, without its documentation, whose routes would come first."""
    app = FastAPI(openapi_url=None)
    app.add_api_route("/ugly", ugly, response_class=PlainTextResponse)
    app.add_api_route("/", page(index))
    app.add_api_route("/good", page(good))
    return app
