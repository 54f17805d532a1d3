"""Index, Good and Ugly on Falcon, its form for WSGI."""

from __future__ import annotations

from typing import Any

from falcon import App, Request, Response
from falcon.constants import MEDIA_HTML, MEDIA_TEXT

from race.web.programs import site
from race.web.programs.wsgi import Make


class Page:
    """The resource of a page."""

    def __init__(self, make: Make) -> None:
        self._make = make

    def on_get(self, request: Request, response: Response) -> None:
        known = request.cookies.get("session")
        agent = request.user_agent or ""
        try:
            html, session = self._make(known, request.remote_addr, agent)
        except site.TooLate:
            response.status, response.content_type, response.text = 503, MEDIA_TEXT, site.LATE
            return
        response.content_type, response.text = MEDIA_HTML, html
        response.set_headers(site.HEADERS)
        if known is None:
            response.set_cookie(
                "session", session, path="/", http_only=True, same_site="Lax", secure=False
            )


class Ugly:
    """The resource of Ugly."""

    def on_get(self, request: Request, response: Response) -> None:
        response.content_type, response.text = MEDIA_TEXT, "UGLY"


def application(index: Make, good: Make) -> Any:
    """Return the application."""
    app = App()
    app.add_route("/ugly", Ugly())
    app.add_route("/", Page(index))
    app.add_route("/good", Page(good))
    return app
