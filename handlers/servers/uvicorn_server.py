"""uvicorn, which serves ASGI."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
from typing import Awaitable, Callable

import uvicorn

from handlers.servers import started
from handlers.servers.uvicorn_internals import MALFORMED, UvicornServer, limited_protocol
from handlers.site import Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log
from handlers.web.asgi.application import Application
from handlers.web.lifecycle import NewLoop, ignore, run
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG

# uvicorn's remarks about what clients sent.
ABOUT_CLIENTS = (MALFORMED, "Unsupported upgrade request", "No supported WebSocket")


def note_malformed(record: logging.LogRecord) -> bool:
    """Filter uvicorn's log: note each request that it refused before the application saw it.

    When the body is malformed, the page that waited for it has a line of its own as well.
    """
    if MALFORMED in record.getMessage():
        access_log.note_malformed()
    return True


def quiet_logs() -> None:
    """Keep uvicorn's remarks about clients out of the log."""
    if access_log.wanted():  # first, because the filters below drop the record
        logging.getLogger("uvicorn.error").addFilter(note_malformed)
    for message in ABOUT_CLIENTS:
        ignore("uvicorn.error", level=logging.WARNING, message=message)
    # `site.failed` has logged what a page raised; a cancellation is the client's or our own.
    ignore("uvicorn.error", Exception, asyncio.CancelledError)
    ignore("uvicorn.error", message="timeout graceful shutdown exceeded")


def serve(
    framework: Callable[[Site], Application],
    site: Site,
    listen: Listen,
    loop: NewLoop,
    workers: int,
    ready: Ready,
) -> int:
    """Serve until a signal, and return the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        quiet_logs()
        app = framework(site)
        config = uvicorn.Config(
            app,
            interface="asgi3",  # uvicorn takes a function that returns a coroutine for ASGI 2
            http=limited_protocol(),
            lifespan="on",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=math.ceil(TIMEOUTS.idle),
            timeout_graceful_shutdown=math.ceil(TIMEOUTS.finish),
        )
        server = UvicornServer(config)
        serving = asyncio.ensure_future(server.serve([sock]))
        await started(app, serving)

        async def finish() -> None:
            server.should_exit = True
            await serving

        return finish

    return run(start, site, listen, loop, workers, ready)
