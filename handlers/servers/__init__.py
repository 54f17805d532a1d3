"""One adapter for each server of frameworks that have none of their own.

An adapter is a module with one function, named in ``handlers.SERVERS``::

    serve(framework, site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int

``framework(site)`` makes the application of a framework, whose interface is among the server's
``interfaces``; it is called in each process that answers. The rest is as ``handlers.web`` describes
it for a framework with a server of its own, and the same rules hold: a server is responsible for
those on connections, malformed requests, signals and workers, a framework for those on pages.
"""

from __future__ import annotations

import asyncio
from typing import Any

from handlers.web.lifecycle import finished


async def started(app: Any, serving: asyncio.Future[Any]) -> None:
    """Wait until a server has started the application; raise the error that ended the server."""
    await finished(lambda: app.started or serving.done())
    if serving.done():
        raise serving.exception() or RuntimeError("the server ended before it served")
