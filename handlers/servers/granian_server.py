"""Granian, which serves ASGI and RSGI; its HTTP is hyper's, in threads of Rust."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Awaitable, Callable, Union

from granian.constants import Interfaces
from granian.http import HTTP1Settings

from handlers.servers import started
from handlers.servers.granian_internals import EmbeddedServer
from handlers.site import Site
from handlers.timeouts import TIMEOUTS
from handlers.web.asgi.application import Application
from handlers.web.lifecycle import NewLoop, run
from handlers.web.listen import Listen
from handlers.web.rsgi_web import Application as RsgiApplication
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG


def serve(
    framework: Callable[[Site], Union[Application, RsgiApplication]],
    site: Site,
    listen: Listen,
    loop: NewLoop,
    workers: int,
    ready: Ready,
) -> int:
    """Serve until a signal, and return the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        app = framework(site)
        server: Any = EmbeddedServer(
            app,
            sock,
            interface=Interfaces(app.interface),
            websockets=False,
            backlog=BACKLOG,
            http1_settings=HTTP1Settings(header_read_timeout=int(1000 * TIMEOUTS.request)),
            log_enabled=False,
        )
        serving = asyncio.ensure_future(server.serve())
        await started(app, serving)

        async def finish() -> None:
            server.stop()
            sock.close()
            await serving

        return finish

    # Granian's threads outlive `serving`; they abort a process whose interpreter ends first.
    return run(start, site, listen, loop, workers, ready, apart=True)
