"""The command behind `make locust`: its arguments, and one line for each mistake."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from race import console
from race.errors import CellFailed, RaceError
from race.load.generator import WatchedProcesses
from race.paths import RESULTS
from race.web.locust.launcher import LocustOptions
from race.web.locust.session import Launch, run
from runtime.arguments import MOST_WORKERS, Parser, port, whole_number
from runtime.paths import extra

FAILED = 1
PORT = 8089
WORKERS = whole_number("number of workers", 0, MOST_WORKERS)  # 0: a Locust without any


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return Locust's own exit status."""
    made = parser()
    given = made.parse_args(argv)
    if given.headless and not (given.shape or given.locust):
        made.error("--headless needs --shape, or users and a time for Locust: -- -u 10 -t 1m")
    if importlib.util.find_spec("locust") is None:
        return fail(f"Locust is not installed: {extra('locust')}")
    options = LocustOptions(
        shape=given.shape,
        users=[name for name in given.user.split(",") if name],
        paths=given.path,
        port=None if given.headless else given.port,
        workers=given.workers,
        more=given.locust,
    )
    watched = msgspec.json.decode(given.watch, type=WatchedProcesses)
    launch = Launch(
        options, given.engine, given.host, given.reports, watched, given.json, has_browser()
    )
    try:
        return run(launch)
    except (RaceError, CellFailed) as error:
        return fail(str(error))


def parser() -> Parser:
    """Return the parser of the command line."""
    made = Parser(
        "locust",
        description="Start the site, and Locust in front of it.",
        epilog="What stands behind -- goes to Locust, as in -- --steps-rate 5",
    )
    made.add_argument("--shape", default="", help="begin with this load shape at once")
    made.add_argument("--engine", default="", help="serve the site on it; see server.py --list")
    made.add_argument("--host", default="", help="a site that runs already, in place of our own")
    text = "users read this path; with --host, of any application; may be given again"
    made.add_argument("--path", action="append", default=[], help=text)
    made.add_argument("--user", default="", help="users by name, with commas; default: all")
    made.add_argument("--headless", action="store_true", help="no web page; needs --shape")
    made.add_argument("--workers", type=WORKERS, default=0, help="worker processes; default: none")
    made.add_argument("--port", type=port, default=PORT, help="of the web page; 0: a free one")
    made.add_argument("--reports", type=Path, default=RESULTS / "locust", help="their folder")
    # A race runs this command too (race.web.locust.generator).
    made.add_argument("--watch", default="{}", help=argparse.SUPPRESS)
    made.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    made.add_argument("locust", nargs="*", help=argparse.SUPPRESS)
    return made


def has_browser() -> bool:
    """Return whether a browser can be seen here; one in the terminal would take it over."""
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def fail(line: str) -> int:
    """Print one line for a person; return the exit status."""
    console.write(f"locust: {line}", sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
