#!/usr/bin/env python3
"""Serve the sticker site on a chosen web framework, event loop, driver and connection mode."""

from __future__ import annotations

import argparse
import difflib
import json
import logging
import os
import platform
import re
import signal
import sys
from typing import Callable, List, Optional, Tuple

from handlers.engine import FORM, Engine, EngineError, every_engine, levels, parse
from handlers.render import RENDERERS
from handlers.survey import InterpreterError, Survey, find
from handlers.web.listen import Listen
from runtime.interpreters import change_to

FAILED = 1
WRONG_USE = 2
PORT = 1717
POOL_SIZE = 10
MOST_WORKERS = 64
OLDEST = (3, 7)
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
        help=f"{FORM}, see --list; "
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
        help="of the log, default %(default)s",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to bind, default %(default)s")
    parser.add_argument(
        "--render",
        type=renderer,
        default=next(iter(RENDERERS)),
        metavar="HOW",
        help=f"how pages become HTML: {', '.join(RENDERERS)}; default %(default)s",
    )
    parser.add_argument(
        "--workers", type=worker_number, default=1, help="processes that answer, default 1"
    )
    parser.add_argument(
        "--python", metavar="X.Y", type=version, help="serve on this CPython (.venv-X.Y)"
    )
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


def worker_number(text: str) -> int:
    """A number of worker processes."""
    if not text.isdigit() or not 0 < int(text) <= MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of workers: 1 to {MOST_WORKERS}")
    return int(text)


def renderer(text: str) -> str:
    """A way to render, of RENDERERS."""
    if text not in RENDERERS:
        near = difflib.get_close_matches(text, RENDERERS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = ", ".join(RENDERERS)
        raise argparse.ArgumentTypeError(f"{text!r} is no way to render: {known}{hint}")
    return text


def version(text: str) -> str:
    """A version of CPython that the site runs on."""
    if not re.fullmatch(r"3\.\d{1,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no version: X.Y, as in 3.12")
    if tuple(int(part) for part in text.split(".")) < OLDEST:
        raise argparse.ArgumentTypeError(f"the site runs on CPython 3.7 and newer, not {text}")
    return text


def check_workers(engine: Engine, workers: int) -> None:
    """EngineError where several processes would each have a site of their own."""
    if workers > 1 and engine.plugins[1].database is None:
        what = f"{engine.backend} keeps the votes in the server's own process"
        raise EngineError(f"{engine.name}: {what}, so it has one worker, not {workers}")


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
    # A reader that has seen enough (head) ends this program, as it ends any other.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if as_json:
        print(json.dumps({"factors": levels(), "engines": entries}, indent=1))
        return 0
    width = max(len(entry["engine"]) for entry in entries)
    for entry in entries:
        state = "CPython " + entry["python"] if entry["runs"] else "- " + entry["reason"]
        print(f"{entry['engine']:<{width}}  {state}")
    return 0


def database(engine: Engine) -> Tuple[str, Callable[[], None]]:
    """The backend's database: its URL, and how to leave it. A private one where no URL is given."""
    backend = engine.plugins[1]
    if backend.database is None:
        return "", lambda: None
    from databases import find as find_database
    from databases.private import join

    url = os.environ.get(find_database(backend.database).url_variable)
    if url:
        return url, lambda: None
    handle = join(backend.database)
    return handle.url, handle.leave


def serve(engine: Engine, listen: Listen, render: str, workers: int) -> int:
    """Serve until a signal; the exit status."""
    from handlers.site import Site

    web, backend, loop = engine.plugins
    url, leave = database(engine)
    try:
        store = backend.load()(engine.connection, url, pool_size())
        pages = RENDERERS[render].load()(engine.name, platform.python_version())
        site = Site(store, pages, os.environ.get("SITE_TOKEN") or None, workers)
        python = f"CPython {platform.python_version()}, pid {os.getpid()}"
        line = f"serving {engine.name} on {listen.url} ({python})"
        status: int = web.load()(
            site, listen, loop.load(), workers, lambda: print(line, flush=True)
        )
        return status
    finally:
        leave()


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
        check_workers(engine, options.workers)
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
    except OSError as error:
        where = f"{options.host} port {options.port}"
        return fail(f"cannot listen on {where}: {error.strerror}; try another -p", FAILED)
    return guarded(engine, listen, options.render, options.workers)


def guarded(engine: Engine, listen: Listen, render: str, workers: int) -> int:
    """``serve`` with every error a person can cause as one line."""
    from data_interface.store import StoreError
    from databases.database import DatabaseError

    try:
        return serve(engine, listen, render, workers)
    except (DatabaseError, EngineError, StoreError) as error:
        return fail(str(error), FAILED)
    except ImportError as error:
        if error.name and error.name.split(".")[0] in ("handlers", "data_interface"):
            raise
        return fail(f"{engine.name} cannot run here: {error}; run make env", FAILED)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
