"""The server that a framework has by itself."""

from __future__ import annotations

from typing import Callable

from handlers.site import Site
from handlers.web.lifecycle import NewLoop
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready


def serve(
    framework: Callable[[Site, Listen, NewLoop, int, Ready], int],
    site: Site,
    listen: Listen,
    loop: NewLoop,
    workers: int,
    ready: Ready,
) -> int:
    """Serve until a signal, and return the exit status."""
    return framework(site, listen, loop, workers, ready)
