"""Index, Good and Ugly on aiohttp, asynctnt and uvloop.

`python -m race.web.programs.with_aiohttp -p PORT [--limit]`
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import uvloop
from aiohttp import web

from race.web.programs import site
from race.web.programs.announce import announce
from runtime.listen import listen


def page(
    make: Callable[..., Awaitable[tuple[str, str]]],
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Return the handler of a page."""

    async def handle(request: web.Request) -> web.Response:
        known = request.cookies.get("session")
        agent = request.headers.get("User-Agent", "")
        try:
            html, session = await make(request.app["db"], known, request.remote, agent)
        except site.TooLate:
            return web.Response(status=503, text=site.LATE)
        response = web.Response(text=html, content_type="text/html", headers=site.HEADERS)
        if known is None:
            response.set_cookie("session", session, path="/", httponly=True, samesite="Lax")
        return response

    return handle


async def ugly(request: web.Request) -> web.Response:
    """Answer Ugly."""
    return web.Response(text="UGLY")


def main() -> None:
    """Serve until SIGTERM."""
    given = site.arguments()
    sock = listen(given.port)

    async def start(app: web.Application) -> None:
        app["db"] = await site.connect()
        announce("with_aiohttp", sock.getsockname())

    async def end(app: web.Application) -> None:
        await app["db"].disconnect()

    app = web.Application()
    app.on_startup.append(start)
    app.on_cleanup.append(end)
    routes: Any = [
        web.get("/", page(given.index)),
        web.get("/good", page(given.good)),
        web.get("/ugly", ugly),
    ]
    app.add_routes(routes)
    web.run_app(
        app, sock=sock, access_log=None, print=None, backlog=1024, loop=uvloop.new_event_loop()
    )


if __name__ == "__main__":
    main()
