"""Index, Good and Ugly on Sanic, asynctnt and uvloop.

`python -m race.web.programs.with_sanic -p PORT [--limit]`
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse, html, text

from race.web.programs import site
from race.web.programs.announce import announce
from runtime.listen import listen


def page(make: Callable[..., Awaitable[tuple[str, str]]]) -> Callable[[Request], Any]:
    """Return the handler of a page."""

    async def handle(request: Request) -> HTTPResponse:
        known = request.cookies.get("session")
        agent = request.headers.get("user-agent", "")
        try:
            body, session = await make(request.app.ctx.db, known, request.ip, agent)
        except site.TooLate:
            return text(site.LATE, status=503)
        response = html(body, headers=site.HEADERS)
        if known is None:
            response.add_cookie(
                "session", session, path="/", secure=False, httponly=True, samesite="Lax"
            )
        return response

    return handle


async def ugly(request: Request) -> HTTPResponse:
    """Answer Ugly."""
    return text("UGLY")


def main() -> None:
    """Serve until SIGTERM."""
    given = site.arguments()
    sock = listen(given.port)

    async def start(app: Any) -> None:
        app.ctx.db = await site.connect()

    async def started(app: Any) -> None:
        announce("with_sanic", sock.getsockname())

    async def end(app: Any) -> None:
        await app.ctx.db.disconnect()

    app: Any = Sanic("stickers", configure_logging=False)
    app.before_server_start(start)
    app.after_server_start(started)
    app.after_server_stop(end)
    app.add_route(page(given.index), "/", name="index")
    app.add_route(page(given.good), "/good", name="good")
    app.add_route(ugly, "/ugly")
    app.run(sock=sock, single_process=True, access_log=False, motd=False, backlog=1024)


if __name__ == "__main__":
    main()
