"""Index, Good and Ugly on BlackSheep."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from blacksheep import Application, Cookie, Request, Response, html, text
from blacksheep.cookies import CookieSameSiteMode

from race.web.programs import site
from race.web.programs.asgi import Make

HEADERS = [(name.encode(), value.encode()) for name, value in site.HEADERS.items()]


def page(make: Make) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a page."""

    async def handle(request: Request) -> Response:
        known = request.cookies.get("session")
        agent = (request.get_first_header(b"user-agent") or b"").decode()
        try:
            body, session = await make(known, request.client_ip, agent)
        except site.TooLate:
            return text(site.LATE, 503)
        response = html(body)
        for name, value in HEADERS:
            response.add_header(name, value)
        if known is None:
            lax = CookieSameSiteMode.LAX
            response.set_cookie(Cookie("session", session, path="/", http_only=True, same_site=lax))
        return response

    return handle


async def ugly(request: Request) -> Response:
    """Answer Ugly."""
    return text("UGLY")


def application(index: Make, good: Make) -> Any:
    """Return the application."""
    app = Application()
    app.router.add_get("/ugly", ugly)
    app.router.add_get("/", page(index))
    app.router.add_get("/good", page(good))
    return app
