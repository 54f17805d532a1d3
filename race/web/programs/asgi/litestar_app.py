"""Index, Good and Ugly on Litestar."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Litestar, MediaType, Request, Response, get

from race.web.programs import site
from race.web.programs.asgi import Make


def page(make: Make) -> Callable[[Any], Awaitable[Response[str]]]:
    """Return the handler of a page."""

    async def handle(request: Request[Any, Any, Any]) -> Response[str]:
        known = request.cookies.get("session")
        agent = request.headers.get("user-agent", "")
        client: Any = request.client
        try:
            html, session = await make(known, client.host, agent)
        except site.TooLate:
            return Response(site.LATE, status_code=503, media_type=MediaType.TEXT)
        response = Response(html, media_type=MediaType.HTML, headers=site.HEADERS)
        if known is None:
            response.set_cookie("session", session, httponly=True, samesite="lax")
        return response

    return handle


async def ugly() -> str:
    """Answer Ugly."""
    return "UGLY"


def application(index: Make, good: Make) -> Any:
    """Return the application."""
    handlers = [get("/ugly")(ugly), get("/")(page(index)), get("/good")(page(good))]
    return Litestar(handlers, openapi_config=None, logging_config=None)
