"""Index, Good and Ugly on a framework for ASGI, asynctnt and uvloop, on one of three servers.

`python -m race.web.programs.with_asgi -p PORT --framework fastapi --server granian [--limit]`

The servers have the options of the site's own, as far as these change what a request costs.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from typing import Any

import uvloop

from race.web.programs import site
from race.web.programs.announce import announce
from runtime.listen import BACKLOG, free_port, listen

NAME = "with_asgi"
FRAMEWORKS = (
    *("starlette", "fastapi", "litestar", "blacksheep", "falcon", "quart", "django", "bare"),
)
POLL_SECONDS = 0.05
MOST_REQUESTS = 2**31  # of a connection; Hypercorn's own limit is a thousand
Serve = Callable[[Any, int], Awaitable[None]]


async def on_uvicorn(app: Any, port: int) -> None:
    """Serve on uvicorn until SIGTERM."""
    import uvicorn

    sock = listen(port)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, proxy_headers=False, ws="none", backlog=BACKLOG
    )
    announce(NAME, sock.getsockname())
    await uvicorn.Server(config).serve([sock])


async def on_hypercorn(app: Any, port: int) -> None:
    """Serve on Hypercorn until SIGTERM."""
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    sock = listen(port)
    config = Config.from_mapping(
        bind=[f"fd://{sock.fileno()}"],
        backlog=BACKLOG,
        errorlog=None,
        keep_alive_max_requests=MOST_REQUESTS,
    )
    announce(NAME, sock.getsockname())
    await serve(app, config, shutdown_trigger=stopped().wait, mode="asgi")
    sock.detach()  # Hypercorn has closed the descriptor


async def on_granian(app: Any, port: int, interface: str = "asgi", name: str = NAME) -> None:
    """Serve on Granian, which opens the port itself, until SIGTERM."""
    from granian.constants import Interfaces
    from granian.server.embed import Server

    port, stop = free_port(port), stopped()
    server: Any = Server(
        app,
        port=port,
        interface=Interfaces(interface),
        websockets=False,
        backlog=BACKLOG,
        log_enabled=False,
    )
    serving = asyncio.ensure_future(server.serve())
    await listening(port)
    announce(name, ("127.0.0.1", port))
    await stop.wait()
    server.stop()
    await serving
    os._exit(0)  # Granian's threads abort an interpreter that ends before they do


async def listening(port: int) -> None:
    """Wait until a server listens on the port; TimeoutError if none does."""
    async with asyncio.timeout(site.PAGE_SECONDS):
        while True:
            try:
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
            except OSError:
                await asyncio.sleep(POLL_SECONDS)
            else:
                return


def stopped() -> asyncio.Event:
    """Return the event of SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


SERVERS: dict[str, Serve] = {
    "uvicorn": on_uvicorn,
    "hypercorn": on_hypercorn,
    "granian": on_granian,
}


async def run(given: Any) -> None:
    """Connect to the database, and serve."""
    framework = import_module(f"race.web.programs.asgi.{given.framework}_app")
    db = await site.connect()
    app = framework.application(partial(given.index, db), partial(given.good, db))
    await SERVERS[given.server](app, given.port)
    await db.disconnect()


def main() -> None:
    """Serve until SIGTERM."""
    parser = site.parser(__doc__)
    parser.add_argument("--framework", choices=FRAMEWORKS, required=True)
    parser.add_argument("--server", choices=list(SERVERS), default="uvicorn")
    given = site.parsed(parser)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(given))


if __name__ == "__main__":
    main()
