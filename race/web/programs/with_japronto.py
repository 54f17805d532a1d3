"""Index, Good and Ugly on japronto, its uvloop and asynctnt.

`python -m race.web.programs.with_japronto -p PORT [--limit]`
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http.cookies import SimpleCookie
from typing import Any

from japronto import Application

from race.web.programs import site
from race.web.programs.announce import announce
from runtime.listen import listen


def page(
    db: Any, make: Callable[..., Awaitable[tuple[str, str]]]
) -> Callable[[Any], Awaitable[Any]]:
    """Return the handler of a page."""

    async def handle(request: Any) -> Any:
        known = request.cookies.get("session")
        agent = request.headers.get("User-Agent", "")
        try:
            html, session = await make(db, known, request.remote_addr, agent)
        except site.TooLate:
            return request.Response(code=503, text=site.LATE)
        cookies = None
        if known is None:
            cookies = SimpleCookie()
            cookies["session"] = session
            # CPython 3.7 has no name for SameSite yet.
            cookies["session"]["path"] = "/; SameSite=Lax"
            cookies["session"]["httponly"] = True
        return request.Response(
            text=html, mime_type="text/html", headers=site.HEADERS, cookies=cookies
        )

    return handle


def ugly(request: Any) -> Any:
    """Answer Ugly."""
    return request.Response(text="UGLY")


def main() -> None:
    """Serve until SIGTERM."""
    given = site.arguments()
    sock = listen(given.port)
    app = Application()
    db = app.loop.run_until_complete(site.connect())
    app.router.add_route("/", page(db, given.index))
    app.router.add_route("/good", page(db, given.good))
    app.router.add_route("/ugly", ugly)
    announce("with_japronto", sock.getsockname())
    host, port = sock.getsockname()
    # Without the process that run() puts in front of it.
    app.serve(sock=sock, host=host, port=port, reloader_pid=None)


if __name__ == "__main__":
    main()
