"""The command behind ``make locust``: its arguments, and one line for each mistake."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from race.errors import CellFailed, RaceError
from race.paths import RESULTS
from race.web.locust.locusts import Plan
from race.web.locust.session import Asked, run
from runtime.arguments import MOST_WORKERS, Parser, port, whole_number

FAILED = 1
PORT = 8089
WORKERS = whole_number("number of workers", 0, MOST_WORKERS)  # 0: a Locust without any


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is Locust's own."""
    made = parser()
    options = made.parse_args(argv)
    if options.headless and not (options.shape or options.locust):
        made.error("--headless needs --shape, or users and a time for Locust: -- -u 10 -t 1m")
    if importlib.util.find_spec("locust") is None:
        return fail("Locust is not installed: run make env")
    plan = Plan(
        shape=options.shape,
        users=[name for name in options.user.split(",") if name],
        port=None if options.headless else options.port,
        workers=options.workers,
        more=options.locust,
    )
    try:
        return run(Asked(plan, options.engine, options.host, options.reports), browser())
    except (RaceError, CellFailed) as error:
        return fail(str(error))


def parser() -> Parser:
    """What can be asked for."""
    made = Parser(
        "locust",
        description="Start the site, and Locust in front of it.",
        epilog="What stands behind -- goes to Locust, as in -- --steps-rate 5",
    )
    made.add_argument("--shape", default="", help="begin with this load shape at once")
    made.add_argument("--engine", default="", help="serve the site on it; see server.py --list")
    made.add_argument("--host", default="", help="a site that runs already, in place of our own")
    made.add_argument("--user", default="", help="users by name, with commas; default: all")
    made.add_argument("--headless", action="store_true", help="no web page; needs --shape")
    made.add_argument("--workers", type=WORKERS, default=0, help="worker processes; default: none")
    made.add_argument("--port", type=port, default=PORT, help="of the web page; 0: a free one")
    made.add_argument("--reports", type=Path, default=RESULTS / "locust", help="their folder")
    made.add_argument("locust", nargs="*", help=argparse.SUPPRESS)
    return made


def browser() -> bool:
    """Whether a browser can be seen here: one in the terminal would take it."""
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def fail(line: str) -> int:
    """One line for a person."""
    print(f"locust: {line}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
