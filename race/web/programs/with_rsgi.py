"""Index, Good and Ugly on RSGI, Granian's own interface, asynctnt and uvloop.

`python -m race.web.programs.with_rsgi -p PORT [--limit]`
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import uvloop

from race.web.programs import site
from race.web.programs.asgi import Make
from race.web.programs.with_asgi import on_granian

HTML = [("content-type", "text/html; charset=utf-8"), *site.HEADERS.items()]
TEXT = [("content-type", "text/plain; charset=utf-8")]


class Application:
    """The application that Granian calls."""

    def __init__(self, index: Make, good: Make) -> None:
        self._index, self._good = index, good

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        if scope.path == "/ugly":
            protocol.response_str(200, TEXT, "UGLY")
        elif scope.path == "/":
            await show(self._index, scope, protocol)
        elif scope.path == "/good":
            await show(self._good, scope, protocol)
        else:
            protocol.response_str(404, TEXT, "Not found")


async def show(make: Make, scope: Any, protocol: Any) -> None:
    """Answer a page."""
    known = site.session_in(scope.headers.get("cookie") or "")
    address = scope.client.rpartition(":")[0]
    try:
        html, session = await make(known, address, scope.headers.get("user-agent") or "")
    except site.TooLate:
        protocol.response_str(503, TEXT, site.LATE)
        return
    headers = HTML
    if known is None:
        cookie = f"session={session}; Path=/; HttpOnly; SameSite=Lax"
        headers = [*HTML, ("set-cookie", cookie)]
    protocol.response_str(200, headers, html)


async def run(given: Any) -> None:
    """Connect to the database, and serve."""
    db = await site.connect()
    app = Application(partial(given.index, db), partial(given.good, db))
    await on_granian(app, given.port, "rsgi", "with_rsgi")


def main() -> None:
    """Serve until SIGTERM."""
    given = site.arguments()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(given))


if __name__ == "__main__":
    main()
