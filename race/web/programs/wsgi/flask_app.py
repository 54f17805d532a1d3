"""Index, Good and Ugly on Flask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request

from race.web.programs import site
from race.web.programs.wsgi import Make


def page(make: Make) -> Callable[[], Response]:
    """Return the view of a page."""

    def view() -> Response:
        known = request.cookies.get("session")
        agent = request.headers.get("User-Agent", "")
        address: Any = request.remote_addr
        try:
            html, session = make(known, address, agent)
        except site.TooLate:
            return Response(site.LATE, 503, mimetype="text/plain")
        response = Response(html, headers=site.HEADERS, mimetype="text/html")
        if known is None:
            response.set_cookie("session", session, httponly=True, samesite="Lax")
        return response

    return view


def ugly() -> Response:
    """Answer Ugly."""
    return Response("UGLY", mimetype="text/plain")


def application(index: Make, good: Make) -> Any:
    """Return the application."""
    app = Flask("stickers", static_folder=None)
    app.add_url_rule("/ugly", "ugly", ugly)
    app.add_url_rule("/", "index", page(index))
    app.add_url_rule("/good", "good", page(good))
    return app
