"""Index, Good and Ugly on WSGI itself, without a framework."""

from __future__ import annotations

from typing import Any

from race.web.programs import site
from race.web.programs.wsgi import Make

HTML = [("Content-Type", "text/html; charset=utf-8"), *site.HEADERS.items()]
TEXT = [("Content-Type", "text/plain; charset=utf-8")]
UGLY = b"UGLY"


def answer(start: Any, body: bytes, headers: list[tuple[str, str]], status: str) -> list[bytes]:
    """Send a response."""
    start(status, [*headers, ("Content-Length", str(len(body)))])
    return [body]


def show(make: Make, environ: Any, start: Any) -> list[bytes]:
    """Answer a page."""
    known = site.session_in(environ.get("HTTP_COOKIE", ""))
    try:
        html, session = make(known, environ["REMOTE_ADDR"], environ.get("HTTP_USER_AGENT", ""))
    except site.TooLate:
        return answer(start, site.LATE.encode(), TEXT, "503 Service Unavailable")
    headers = HTML
    if known is None:
        cookie = f"session={session}; Path=/; HttpOnly; SameSite=Lax"
        headers = [*HTML, ("Set-Cookie", cookie)]
    return answer(start, html.encode(), headers, "200 OK")


def application(index: Make, good: Make) -> Any:
    """Return the application."""

    def app(environ: Any, start: Any) -> list[bytes]:
        path = environ["PATH_INFO"]
        if path == "/ugly":
            return answer(start, UGLY, TEXT, "200 OK")
        if path == "/":
            return show(index, environ, start)
        if path == "/good":
            return show(good, environ, start)
        return answer(start, b"Not found", TEXT, "404 Not Found")

    return app
