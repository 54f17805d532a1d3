#!/usr/bin/env python3
"""Serve the sticker site on a chosen web framework, event loop, driver and connection mode."""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import socket
import sys
from typing import Any, Callable, List, Optional, Tuple

from handlers.engine import Engine, EngineError, every_engine, parse
from handlers.survey import InterpreterError, Survey, find
from runtime.interpreters import change_to

FAILED = 1
WRONG_USE = 2
PORT = 1717
POOL_SIZE = 10
BACKLOG = 1024
DEFAULT_ENGINES = (
    "aiohttp-tarantool-one-uvloop",
    "aiohttp-postgres-pool-uvloop",
    "aiohttp-memory-one",
)
LEVELS = ("debug", "info", "warning", "error", "critical")


def arguments(argv: List[str]) -> argparse.Namespace:
    """The command line, checked."""
    parser = argparse.ArgumentParser("server.py", description=__doc__)
    parser.add_argument(
        "-e",
        "--engine",
        help="<web>-<backend>-<connection>[-uvloop], see --list; "
        f"default: the first that runs here of {', '.join(DEFAULT_ENGINES)}",
    )
    parser.add_argument(
        "-p", "--port", type=port, default=PORT, help="default %(default)s; 0: a free one"
    )
    parser.add_argument(
        "-l", "--level", choices=LEVELS, default="warning", help="of the log, default %(default)s"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to bind, default %(default)s")
    parser.add_argument("--python", metavar="X.Y", help="serve on this CPython (.venv-X.Y)")
    parser.add_argument(
        "--list", action="store_true", help="every engine, and whether it runs here"
    )
    parser.add_argument("--json", action="store_true", help="with --list: as JSON")
    return parser.parse_args(argv)


def port(text: str) -> int:
    """A TCP port."""
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to 65535")
    return int(text)


def pool_size() -> int:
    """Connections in a pool, from POOL_SIZE."""
    text = os.environ.get("POOL_SIZE", str(POOL_SIZE))
    if not text.isdigit() or not 0 < int(text) <= 1000:
        raise EngineError(f"POOL_SIZE={text}: must be 1 to 1000")
    return int(text)


def default_engine(python: Optional[str]) -> Engine:
    """The first of DEFAULT_ENGINES that runs here; the last one needs no database."""
    engines = [parse(name) for name in DEFAULT_ENGINES]
    survey = Survey(engines, python)
    return next((one for one in engines if survey.describe(one)["runs"]), engines[-1])


def list_engines(python: Optional[str], as_json: bool) -> int:
    """Print every engine, whether it runs here, and if not, why."""
    engines = every_engine()
    survey = Survey(engines, python)
    entries = [survey.describe(engine) for engine in engines]
    if as_json:
        print(json.dumps(entries, indent=1))
        return 0
    width = max(len(entry["engine"]) for entry in entries)
    for entry in entries:
        state = "CPython " + entry["python"] if entry["runs"] else "- " + entry["reason"]
        print(f"{entry['engine']:<{width}}  {state}")
    return 0


def bind(host: str, port_number: int) -> socket.socket:
    """A bound socket, or OSError."""
    family, kind, protocol = socket.getaddrinfo(host, port_number, type=socket.SOCK_STREAM)[0][:3]
    # With its protocol named: older asyncio sets TCP_NODELAY on no other, and without it a
    # pipelined answer waits 40 ms for the client's delayed acknowledgement.
    sock = socket.socket(family, kind, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port_number))
    # Listening at once makes a second server on the port fail here, with a clear line.
    sock.listen(BACKLOG)
    return sock


def new_loop(uvloop_wanted: bool) -> Callable[[], Any]:
    """The function that makes the event loop."""
    if uvloop_wanted:
        import uvloop

        return uvloop.new_event_loop
    import asyncio

    return asyncio.new_event_loop


def database(engine: Engine) -> Tuple[str, Callable[[], None]]:
    """The backend's database: its URL, and how to leave it. Embedded where no URL is given."""
    backend = engine.plugins[1]
    if backend.database is None:
        return "", lambda: None
    url = os.environ.get(backend.url or "")
    if url:
        return url, lambda: None
    from databases.private import join

    handle = join(backend.database)
    return handle.url, handle.leave


def serve(engine: Engine, sock: socket.socket) -> int:
    """Serve until a signal; the exit status."""
    from handlers.render import Renderer
    from handlers.site import Site

    web, backend = engine.plugins
    url, leave = database(engine)
    try:
        store = backend.load()(engine.connection, url, pool_size())
        renderer = Renderer(engine.name, platform.python_version())
        site = Site(store, renderer, os.environ.get("SITE_TOKEN") or None)
        python = f"CPython {platform.python_version()}, pid {os.getpid()}"
        line = f"serving {engine.name} on {address(sock)} ({python})"
        status: int = web.load()(
            site, sock, new_loop(engine.uvloop), lambda: print(line, flush=True)
        )
        return status
    finally:
        leave()


def address(sock: socket.socket) -> str:
    """The URL of a bound socket."""
    host, number = sock.getsockname()[:2]
    return f"http://[{host}]:{number}" if ":" in host else f"http://{host}:{number}"


def fail(message: str, status: int) -> int:
    """One line for a person."""
    print("server.py: " + message, file=sys.stderr, flush=True)
    return status


def main(argv: List[str]) -> int:
    """The command; the exit status."""
    options = arguments(argv)
    if options.list:
        return list_engines(options.python, options.json)
    try:
        engine = parse(options.engine) if options.engine else default_engine(options.python)
        change_to(find(engine, options.python))
    except EngineError as error:
        return fail(str(error), WRONG_USE)
    except InterpreterError as error:
        return fail(str(error), FAILED)
    logging.basicConfig(
        level=options.level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        sock = bind(options.host, options.port)
    except OSError as error:
        where = f"{options.host} port {options.port}"
        return fail(f"cannot listen on {where}: {error.strerror}; try another -p", FAILED)
    return guarded(engine, sock)


def guarded(engine: Engine, sock: socket.socket) -> int:
    """``serve`` with every error a person can cause as one line."""
    from data_interface.store import StoreError
    from databases.private import EmbeddedError

    try:
        return serve(engine, sock)
    except (EmbeddedError, EngineError, StoreError) as error:
        return fail(str(error), FAILED)
    except ImportError as error:
        if error.name and error.name.split(".")[0] in ("handlers", "data_interface"):
            raise
        return fail(f"{engine.name} cannot run here: {error}; run make env", FAILED)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
