#!/usr/bin/env python3
"""Serve the sticker site on a chosen web framework, event loop, driver and connection mode."""

from __future__ import annotations

import argparse
import errno
import json
import logging
import os
import re
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, List, Optional, Tuple

from handlers import listing
from handlers.availability import InterpreterError, find
from handlers.engine import (
    FORM,
    Engine,
    EngineError,
    beginning,
    every_engine,
    levels,
    parse,
    spoken,
)
from handlers.render import RENDERERS
from handlers.web import open_files
from handlers.web.listen import Listen
from runtime import lock
from runtime.address import AddressError
from runtime.arguments import MOST_WORKERS, WRONG_USE, Parser, port, whole_number
from runtime.clock import ClockError, clock
from runtime.interpreters import change_to, environment, version_of
from runtime.paths import extra
from runtime.versions import is_minor, numbers, own

if TYPE_CHECKING:
    from databases.private import Handle

FAILED = 1
PORT = 1717
POOL_SIZE = 10
OLDEST = (3, 7)
WORKERS = whole_number("number of workers", 1, MOST_WORKERS)
DEFAULT_ENGINES = (
    "aiohttp-tarantool-one-uvloop",
    "aiohttp-postgres-pool-uvloop",
    "aiohttp-sqlite-one",
    "aiohttp-memory-one",
)
DEADLINE = (0.1, 600.0)
# The seconds that a request has to arrive, beside those of its page.
ARRIVAL = 10
LEVELS = ("debug", "info", "warning", "error", "critical")
# What every framework passes on as it was sent: some decode other bytes, some drop a space.
TOKEN = re.compile(r"[!-~]{16,1000}")
# The advice to a user whose server cannot listen.
REMEDIES = {
    errno.EADDRINUSE: "try another -p, or -p 0 for a free one",
    errno.EADDRNOTAVAIL: "that is no address of this machine: try --host 127.0.0.1",
    errno.EACCES: "ports below 1024 are root's: try another -p",
}

_log = logging.getLogger("server")


def arguments(argv: List[str]) -> argparse.Namespace:
    """Parse and check the command line."""
    parser = Parser("server.py", description=__doc__)
    parser.add_argument(
        "-e",
        "--engine",
        help=f"{FORM}, see --list; a beginning (aiohttp) offers the engines that have it; "
        f"default: the first that runs here of {', '.join(DEFAULT_ENGINES)}",
    )
    parser.add_argument(
        "-p", "--port", type=port, default=PORT, help="default %(default)s; 0: a free one"
    )
    parser.add_argument(
        "-l",
        "--level",
        type=str.lower,
        choices=LEVELS,
        default="warning",
        help="of the log, default %(default)s; info: start, database, end; debug: each request too",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to bind, default %(default)s")
    parser.add_argument(
        "--render",
        choices=list(RENDERERS),
        default=next(iter(RENDERERS)),
        help="how pages become HTML; default %(default)s",
    )
    parser.add_argument(
        "--workers", type=WORKERS, default=1, help="processes that answer, default 1"
    )
    parser.add_argument(
        "--deadline",
        type=seconds,
        metavar="SECONDS",
        help="how long a page may take before it is answered with 503; default 1.75",
    )
    parser.add_argument(
        "--python",
        metavar="X.Y",
        type=version,
        help="serve on this CPython (.venv-X.Y), or in this environment (./FOLDER)",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="the parts of engines, and whether they run here; with -e: the engines that have it",
    )
    parser.add_argument("--json", action="store_true", help="with --list: as JSON")
    options = parser.parse_args(argv)
    if options.json and not options.list:
        parser.error("--json says how --list is printed: give both")
    return options


def seconds(text: str) -> float:
    """Parse the option --deadline."""
    least, most = DEADLINE
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not least <= found <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: {least:g} to {most:g} seconds")
    return found


def give(deadline: float) -> None:
    """Give each page so long, before anything has read how long that is."""
    changes = {
        "STORE_TIMEOUTS": f"page={deadline:g}",
        "SITE_TIMEOUTS": f"request={deadline + ARRIVAL:g}",
    }
    for variable, change in changes.items():
        before = os.environ.get(variable)
        os.environ[variable] = f"{before},{change}" if before else change


def version(text: str) -> str:
    """Parse the option --python: a version, or the folder of an environment."""
    if not is_minor(text):
        if text and version_of(environment(text)):
            return text
        what = f"{text!r} is no version (X.Y, as in 3.12) and no folder of an environment"
        raise argparse.ArgumentTypeError(what)
    if numbers(text) < OLDEST:
        raise argparse.ArgumentTypeError(f"the site runs on CPython 3.7 and newer, not {text}")
    return text


def check_workers(engine: Engine, workers: int) -> None:
    """Raise EngineError where several processes would each have a site of their own."""
    if workers > 1 and engine.plugins[1].database is None:
        what = f"{engine.backend} keeps the votes in the server's own process"
        raise EngineError(f"{engine.name}: {what}, so it has one worker, not {workers}")


def pool_size() -> int:
    """Return the number of connections in a pool."""
    text = os.environ.get("POOL_SIZE", str(POOL_SIZE))
    if not text.isdecimal() or not 0 < int(text) <= 1000:
        raise EngineError(f"POOL_SIZE={text}: must be 1 to 1000")
    return int(text)


def token() -> Optional[str]:
    """Return the bearer token of changes, or None if there is none."""
    text = os.environ.get("SITE_TOKEN") or None
    if text and not TOKEN.fullmatch(text):
        # It is a secret, so it is not shown.
        raise EngineError("SITE_TOKEN must be 16 to 1000 printable ASCII characters, no spaces")
    return text


def default_engine(python: Optional[str]) -> Engine:
    """Return the first of DEFAULT_ENGINES that runs here; the last one needs no database."""
    engines = [parse(name) for name in DEFAULT_ENGINES]
    entries = listing.described(engines, python)
    return next((one for one, entry in zip(engines, entries) if entry["runs"]), engines[-1])


def list_engines(name: Optional[str], python: Optional[str], as_json: bool) -> int:
    """Carry out --list, and return the exit status."""
    try:
        entries = listing.described(listing.chosen(name) if name else every_engine(), python)
    except EngineError as error:
        return fail(str(error), WRONG_USE)
    # A reader that leaves early, such as head, ends this program like any other.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if as_json:
        print(json.dumps({"factors": levels(), "engines": entries}, indent=1))
        return 0
    print("\n".join(listing.lines(entries) if name else listing.overview(entries)))
    return 0


def database(engine: Engine) -> Tuple[str, Optional[Handle]]:
    """Return the URL of the engine's database, and a handle if the database is private."""
    name = engine.plugins[1].database
    if name is None:
        _log.info("database: none, the votes are in this process")
        return "", None
    from databases import find as find_database
    from databases.private import join

    found = find_database(name)
    url = os.environ.get(found.url_variable)
    if url:
        _log.info("database: %s at %s, from %s", name, found.address(url), found.url_variable)
        return url, None
    handle = join(name)
    _log.info("database: a private %s at %s", name, found.address(handle.url))
    return handle.url, handle


def serve(engine: Engine, listen: Listen, render: str, workers: int) -> int:
    """Serve until a signal, and return the exit status."""
    from data_interface.supervised import SupervisedStore
    from handlers.site import Settings, Site

    began = time.monotonic()
    lock.remember_cause()
    python = f"CPython {own()}, pid {os.getpid()}"
    _log.info("start: %s, %s, render %s, workers %d", engine.name, python, render, workers)
    web, backend, loop, server = engine.plugins
    way = RENDERERS[render]
    if not way.suits(own()):
        raise EngineError(f"--render {render} runs on CPython {spoken(way.python)}: try another")
    url, handle = database(engine)
    # A private database was started above, so that it does not inherit the higher limit.
    open_files.raise_the_limit()
    try:
        store = backend.load()(engine.connection, url, pool_size())
        if handle is not None:
            store = SupervisedStore(store, handle.check_supervisor)
        renderer = RENDERERS[render].load()(engine.name, own())
        history = os.environ.get("SITE_HISTORY", "0") not in ("", "0")
        settings = Settings(clock(), token(), history)
        site = Site(store, renderer, settings, workers)
        line = f"serving {engine.name} on {listen.url} ({python})"
        status: int = server.load()(
            web.load(), site, listen, loop.load(), workers, lambda: print(line, flush=True)
        )
        _log.info("end: exit status %d after %.1f s", status, time.monotonic() - began)
        return status
    finally:
        if handle is not None:
            handle.leave()


def fail(message: str, status: int) -> int:
    """Print a line for a person, and return the exit status."""
    print("server.py: " + message, file=sys.stderr, flush=True)
    return status


def main(argv: List[str]) -> int:
    """Run the command, and return the exit status."""
    options = arguments(argv)
    if options.deadline is not None:
        give(options.deadline)
    if options.list:
        return list_engines(options.engine, options.python, options.json)
    begun = beginning(options.engine or "")
    if begun:
        what = f"{options.engine!r} begins the names of {len(begun)} engines: choose one of"
        fail(what, WRONG_USE)
        print("\n".join(listing.lines(listing.described(begun, options.python))), file=sys.stderr)
        return WRONG_USE
    try:
        named = options.engine is not None
        engine = parse(options.engine) if named else default_engine(options.python)
        check_workers(engine, options.workers)
        token()
        change_to(find(engine, options.python))
    except EngineError as error:
        return fail(str(error), WRONG_USE)
    except InterpreterError as error:
        return fail(str(error), FAILED)
    logging.basicConfig(
        level=options.level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        listen = Listen(options.host, options.port)
    except (OSError, UnicodeError) as error:
        return fail(f"cannot listen on {why_not(options.host, options.port, error)}", FAILED)
    return serve_or_explain(engine, listen, options.render, options.workers)


def why_not(host: str, number: int, error: Exception) -> str:
    """Return the address, why it cannot be listened on, and what to do."""
    # A name that cannot even be looked up raises UnicodeError.
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
        return f"--host {host!r}: no such host; try 127.0.0.1, or 0.0.0.0 for all addresses"
    remedy = REMEDIES.get(error.errno or 0, "try another -p")
    return f"{host} port {number}: {error.strerror}; {remedy}"


def serve_or_explain(engine: Engine, listen: Listen, render: str, workers: int) -> int:
    """Serve, and turn each error that a user can cause into one line."""
    from data_interface.store import StoreError
    from databases.database import DatabaseError

    try:
        return serve(engine, listen, render, workers)
    except (AddressError, ClockError, DatabaseError, EngineError, StoreError) as error:
        return fail(str(error), FAILED)
    except ImportError as error:
        if error.name and error.name.split(".")[0] in ("handlers", "data_interface"):
            raise
        return fail(f"{engine.name} cannot run here: {error}; {extra('site')}", FAILED)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
