"""Hypercorn, which serves ASGI and parses HTTP with h11."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any, Awaitable, Callable, Iterator, MutableMapping

from hypercorn.asyncio import serve as serve_asgi
from hypercorn.config import Config
from hypercorn.utils import LifespanFailureError

from handlers.servers import started
from handlers.site import Site
from handlers.timeouts import TIMEOUTS
from handlers.web.asgi import Receive, Scope, Send, raw_path, send_page
from handlers.web.asgi.application import Application
from handlers.web.lifecycle import NewLoop, ignore, run
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG

LOGGER = "hypercorn.error"
# Hypercorn's own limit closes a connection after its thousandth request.
MOST_REQUESTS = 2**31


def configuration(sock: socket.socket) -> Config:
    """Return Hypercorn's options for a socket that listens; Hypercorn closes it at its end."""
    return Config.from_mapping(
        bind=[f"fd://{sock.fileno()}"],
        backlog=BACKLOG,
        accesslog=None,
        errorlog=logging.getLogger(LOGGER),
        keep_alive_timeout=TIMEOUTS.idle,
        keep_alive_max_requests=MOST_REQUESTS,
        graceful_timeout=TIMEOUTS.finish,
    )


def guarded(app: Application, site: Site, stop: asyncio.Event) -> Any:
    """Return the application with answers to what Hypercorn cuts off.

    Hypercorn closes a connection whose request is answered before its body has arrived, so a body
    is read also where none is expected. At its end it closes idle connections, also one on which a
    request arrives at this moment: its vote would count, and nobody would be told.
    """

    def application(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "http" and stop.is_set():
            return send_page(send, site.closing(raw_path(scope)))
        if scope["type"] == "http" and ignores_body(scope):
            return without_body(scope, receive, send)
        return app(scope, receive, send)

    async def without_body(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        while message.get("more_body"):
            message = await receive()
        messages: Iterator[MutableMapping[str, Any]] = iter([{"type": "http.request"}])

        async def received() -> MutableMapping[str, Any]:
            return next(messages, None) or await receive()

        await app(scope, received, send)

    return application


def ignores_body(scope: Scope) -> bool:
    """Return whether a request announces a body that no page reads."""
    return scope["method"] in ("GET", "HEAD") and any(
        name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"]
    )


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
        # `site.failed` has logged what a page raised; the rest is about clients that left.
        ignore(LOGGER, Exception)
        # Hypercorn goes on writing to a client that left in the middle of an answer.
        ignore("asyncio", level=logging.WARNING, message="socket.send() raised exception")
        # A client in the middle of a request delays the end of Hypercorn, which is then cancelled.
        ignore("asyncio", LifespanFailureError)
        app, stop = framework(site), asyncio.Event()
        served = guarded(app, site, stop)
        serving = asyncio.ensure_future(
            serve_asgi(served, configuration(sock), shutdown_trigger=stop.wait, mode="asgi")
        )
        await started(app, serving)

        async def finish() -> None:
            stop.set()
            await serving
            sock.detach()  # Hypercorn has closed the descriptor

        return finish

    return run(start, site, listen, loop, workers, ready)
