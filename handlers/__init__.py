"""The web side of the site: pages written once, an adapter for each web framework and server.

``WEB``, ``SERVERS`` and ``LOOPS`` are registries, plainest first. A new framework or server is one
module and one line here, a new event loop one line. ``handlers/web/__init__.py`` has the rules for
a framework, ``handlers/servers/__init__.py`` those for a server; the target of a loop is the
function that makes it.
"""

from dataclasses import dataclass
from typing import Tuple

from runtime.plugin import Plugin

# Gaps: rules for adapters that a framework or a server breaks.
ESCAPED_SLASH = "takes an escaped slash in a path for a slash"
DECODED_PATH = "is given the path decoded, and takes an escaped slash in it for a slash"
HALF_A_BODY = "drops a request whose body is not all there when it stops"
BARE_LF = "takes a bare LF for the end of a line"
LOOSE_CHUNK = "takes anything behind a chunk's size for an extension"
CHUNK_BLANK = "takes a blank behind a chunk's size"
LOOSE_HEAD = (
    "takes a bare CR or LF for a part of a header's value, and a blank for a part of its name"
)
TWO_LENGTHS = "takes the last of several lengths of a body"
LENGTH_AND_CODING = "takes a length of a body beside a coding"
HALF_CLOSED = "answers a client that has closed its side only where the page asks no database"
CLOSED = "does not answer a client that has closed its side"
KEPT_OPEN = "keeps the connection of a client that has closed its side, once it has answered"
NOT_LOGGED = "writes no line in the access log for a request that is not HTTP"
TINY_CHUNKS = "takes more than 16 MiB for the body that one client sends in tiny chunks"
HTTP_2 = "goes on in HTTP/2 where a client asks for that"
HELD_THREADS = "serves nobody while as many clients as it has threads send slowly, or nothing"

# Interfaces between a framework and a server. OWN is also the server of a framework that has one.
OWN = "own"
ASGI = "asgi"
# Granian's own interface.
RSGI = "rsgi"
# Pages run in threads, without an event loop.
WSGI = "wsgi"


@dataclass(frozen=True)
class Web(Plugin):
    """A web framework, the interface through which a server calls it, and its gaps."""

    gaps: Tuple[str, ...] = ()
    interface: str = OWN


@dataclass(frozen=True)
class Server(Plugin):
    """A server of frameworks that have none, the interfaces that it calls, and its gaps."""

    gaps: Tuple[str, ...] = ()
    interfaces: Tuple[str, ...] = (ASGI,)


WEB = {
    "aiohttp": Web("handlers.web.aiohttp_web:serve", needs=("aiohttp",), gaps=(HALF_CLOSED,)),
    "sanic": Web("handlers.web.sanic_web:serve", needs=("sanic",), gaps=(LOOSE_HEAD, HALF_CLOSED)),
    "japronto": Web(
        "handlers.web.japronto_web:serve",
        needs=("japronto",),
        python="3.7",
        gaps=(
            ESCAPED_SLASH,
            HALF_A_BODY,
            BARE_LF,
            LOOSE_CHUNK,
            CHUNK_BLANK,
            TWO_LENGTHS,
            LENGTH_AND_CODING,
            HALF_CLOSED,
        ),
    ),
    "starlette": Web(
        "handlers.web.asgi.starlette_web:application",
        needs=("starlette",),
        python="3.10+",
        interface=ASGI,
    ),
    "fastapi": Web(
        "handlers.web.asgi.fastapi_web:application",
        needs=("fastapi", "starlette"),
        python="3.10+",
        interface=ASGI,
    ),
    "litestar": Web(
        "handlers.web.asgi.litestar_web:application",
        needs=("litestar",),
        python="3.10+",
        interface=ASGI,
    ),
    "blacksheep": Web(
        "handlers.web.asgi.blacksheep_web:application",
        needs=("blacksheep",),
        python="3.10+",
        interface=ASGI,
    ),
    "falcon": Web(
        "handlers.web.asgi.falcon_web:application",
        needs=("falcon",),
        python="3.10+",
        interface=ASGI,
    ),
    "quart": Web(
        "handlers.web.asgi.quart_web:application",
        needs=("quart", "werkzeug"),
        python="3.10+",
        gaps=(CLOSED,),
        interface=ASGI,
    ),
    "django": Web(
        "handlers.web.asgi.django_web:application",
        needs=("django",),
        python="3.12+",
        gaps=(CLOSED,),
        interface=ASGI,
    ),
    "asgi": Web("handlers.web.asgi.bare_web:application", python="3.10+", interface=ASGI),
    "rsgi": Web(
        "handlers.web.rsgi_web:application",
        python="3.10+",
        gaps=(DECODED_PATH,),
        interface=RSGI,
    ),
    "flask": Web(
        "handlers.web.wsgi.flask_web:application",
        needs=("flask", "werkzeug"),
        python="3.10+",
        interface=WSGI,
    ),
    "falconwsgi": Web(
        "handlers.web.wsgi.falcon_web:application",
        needs=("falcon",),
        python="3.10+",
        interface=WSGI,
    ),
    "djangowsgi": Web(
        "handlers.web.wsgi.django_web:application",
        needs=("django",),
        python="3.12+",
        interface=WSGI,
    ),
    "wsgi": Web("handlers.web.wsgi.bare_web:application", python="3.10+", interface=WSGI),
}
# The first that calls a framework's interface is its plain one, and no part of an engine's name.
SERVERS = {
    OWN: Server("handlers.servers.own_server:serve", interfaces=(OWN,)),
    "uvicorn": Server(
        "handlers.servers.uvicorn_server:serve",
        # uvicorn takes h11, which is several times slower, where httptools is not installed.
        needs=("uvicorn", "httptools"),
        python="3.10+",
        gaps=(HALF_CLOSED,),
    ),
    "hypercorn": Server(
        "handlers.servers.hypercorn_server:serve",
        needs=("hypercorn",),
        python="3.10+",
        gaps=(
            BARE_LF,
            CHUNK_BLANK,
            LENGTH_AND_CODING,
            KEPT_OPEN,
            NOT_LOGGED,
            TINY_CHUNKS,
            HTTP_2,
        ),
    ),
    "granian": Server(
        "handlers.servers.granian_server:serve",
        needs=("granian",),
        python="3.10+",
        gaps=(BARE_LF, CHUNK_BLANK, CLOSED, NOT_LOGGED),
        interfaces=(ASGI, RSGI),
    ),
    "gunicorn": Server(
        "handlers.servers.gunicorn_server:serve",
        needs=("gunicorn",),
        python="3.10+",
        gaps=(HELD_THREADS,),
        interfaces=(WSGI,),
    ),
}
# The first has no suffix in an engine's name.
LOOPS = {
    "asyncio": Plugin("asyncio:new_event_loop"),
    "uvloop": Plugin("uvloop:new_event_loop", needs=("uvloop",)),
}
