"""The web side of the site: pages written once, and one adapter for each web framework.

``WEB`` and ``LOOPS`` are registries, plainest first. A new framework is one module and one line
here, a new event loop one line. ``handlers/web/__init__.py`` has the rules for an adapter; the
target of a loop is the function that makes it.
"""

from dataclasses import dataclass
from typing import Tuple

from runtime.plugin import Plugin

# Gaps: rules for adapters that a framework breaks.
ESCAPED_SLASH = "takes an escaped slash in a path for a slash"
HALF_A_BODY = "drops a request whose body is not all there when it stops"


@dataclass(frozen=True)
class Web(Plugin):
    """A web framework with its server, and its gaps."""

    gaps: Tuple[str, ...] = ()


WEB = {
    "aiohttp": Web("handlers.web.aiohttp_web:serve", needs=("aiohttp",)),
    "sanic": Web("handlers.web.sanic_web:serve", needs=("sanic",)),
    "japronto": Web(
        "handlers.web.japronto_web:serve",
        needs=("japronto",),
        python="3.7",
        gaps=(ESCAPED_SLASH, HALF_A_BODY),
    ),
    "starlette": Web(
        "handlers.web.starlette_web:serve", needs=("starlette", "uvicorn"), python="3.10+"
    ),
}
# The first has no suffix in an engine's name.
LOOPS = {
    "asyncio": Plugin("asyncio:new_event_loop"),
    "uvloop": Plugin("uvloop:new_event_loop", needs=("uvloop",)),
}
