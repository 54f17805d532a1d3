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
BARE_LF = (
    "takes a bare LF for the end of a line, and anything behind a chunk's size for an extension"
)
LOOSE_HEAD = (
    "takes a bare CR or LF for a part of a header's value, and a blank for a part of its name"
)
TWO_LENGTHS = "takes the last of several lengths of a body, and a length beside a coding"
HALF_CLOSED = "answers a client that has closed its side only where the page asks no database"


@dataclass(frozen=True)
class Web(Plugin):
    """A web framework with its server, and its gaps."""

    gaps: Tuple[str, ...] = ()


WEB = {
    "aiohttp": Web("handlers.web.aiohttp_web:serve", needs=("aiohttp",), gaps=(HALF_CLOSED,)),
    "sanic": Web("handlers.web.sanic_web:serve", needs=("sanic",), gaps=(LOOSE_HEAD, HALF_CLOSED)),
    "japronto": Web(
        "handlers.web.japronto_web:serve",
        needs=("japronto",),
        python="3.7",
        gaps=(ESCAPED_SLASH, HALF_A_BODY, BARE_LF, TWO_LENGTHS, HALF_CLOSED),
    ),
    "starlette": Web(
        "handlers.web.starlette_web:serve",
        needs=("starlette", "uvicorn"),
        python="3.10+",
        gaps=(HALF_CLOSED,),
    ),
}
# The first has no suffix in an engine's name.
LOOPS = {
    "asyncio": Plugin("asyncio:new_event_loop"),
    "uvloop": Plugin("uvloop:new_event_loop", needs=("uvloop",)),
}
