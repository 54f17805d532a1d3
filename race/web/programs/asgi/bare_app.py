"""Index, Good and Ugly on ASGI itself, without a framework."""

from __future__ import annotations

from typing import Any

from race.web.programs import site
from race.web.programs.asgi import Make

HTML = [
    (b"content-type", b"text/html; charset=utf-8"),
    *((name.lower().encode(), value.encode()) for name, value in site.HEADERS.items()),
]
TEXT = [(b"content-type", b"text/plain; charset=utf-8")]
UGLY = b"UGLY"


async def answer(send: Any, body: bytes, headers: list[tuple[bytes, bytes]], status: int) -> None:
    """Send a response."""
    headers = [*headers, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def cookie_and_agent(headers: list[tuple[bytes, bytes]]) -> tuple[str | None, str]:
    """Return the session and the user agent of a request."""
    session, agent = None, ""
    for name, value in headers:
        if name == b"cookie":
            cookies = (one.strip().partition(b"=") for one in value.split(b";"))
            session = next((text.decode() for key, _, text in cookies if key == b"session"), None)
        elif name == b"user-agent":
            agent = value.decode("latin-1")
    return session, agent


async def show(make: Make, scope: Any, send: Any) -> None:
    """Answer a page."""
    known, agent = cookie_and_agent(scope["headers"])
    try:
        html, session = await make(known, scope["client"][0], agent)
    except site.TooLate:
        await answer(send, site.LATE.encode(), TEXT, 503)
        return
    headers = HTML
    if known is None:
        cookie = f"session={session}; Path=/; HttpOnly; SameSite=Lax"
        headers = [*HTML, (b"set-cookie", cookie.encode())]
    await answer(send, html.encode(), headers, 200)


def application(index: Make, good: Make) -> Any:
    """Return the application."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        if scope["path"] == "/ugly":
            await answer(send, UGLY, TEXT, 200)
        elif scope["path"] == "/":
            await show(index, scope, send)
        elif scope["path"] == "/good":
            await show(good, scope, send)
        else:
            await answer(send, b"Not found", TEXT, 404)

    return app
