"""Counts how often a capacity's interval covers it: `... -m tests.long.race.capacity_coverage DIR`.

Searches the capacity of a real server whose capacity is known (tests/long/race/queueing_server.py).
"constant" holds 1 / SECONDS a second, "exponential" what D/M/1 says. A search that has ended in DIR
is not done again, so a time limit or Ctrl-C only ends a part of the work. Several searches run at
once: the server sleeps for most of the time, and its capacity is counted.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from race.capacity import record
from race.capacity.analysis import Capacity, capacities
from runtime.paths import ROOT
from tests.unit.race.test_capacity import exponential_capacity

SECONDS = 0.002
LIMIT_S = 900
SERVER = ROOT / "tests/long/race/queueing_server.py"
TRUTH = {"constant": 1 / SECONDS, "exponential": exponential_capacity(SECONDS)}
FILE = """
discipline = "app"
title = "A known capacity"
serve = "{python} {server} {{port}} {seconds} {kind}"
[[requests]]
name = "it"
get = "/"
[limits]
steal = 1.0
foreign = 1.0
"""


def main(options: argparse.Namespace) -> None:
    """Search what is missing as long as there is time, and print how many intervals cover."""
    options.folder.mkdir(parents=True, exist_ok=True)
    for kind in TRUTH:
        text = FILE.format(python=sys.executable, server=SERVER, seconds=SECONDS, kind=kind)
        (options.folder / f"{kind}.toml").write_text(text)
    end = time.monotonic() + 60 * options.minutes
    with ThreadPoolExecutor(options.at_once) as pool:
        for number in range(options.times):
            kind = list(TRUTH)[number % len(TRUTH)]
            if found(options.folder / kind / str(number)) is None:
                pool.submit(search, options, kind, number, end)
    for kind in TRUTH:
        print(said(options.folder, kind))


def search(options: argparse.Namespace, kind: str, number: int, end: float) -> None:
    """Run one search in a process of its own, if it ends in time."""
    if time.monotonic() + options.seconds > end:
        return
    place = options.folder / kind / str(number)
    words = ["capacity", str(options.folder / f"{kind}.toml"), "--results", str(place)]
    words += ["--within", f"{options.seconds}s", "--duration", f"{options.cell}s"]
    command = [sys.executable, "-m", "race", *words]
    done = subprocess.run(
        command, check=False, cwd=ROOT, timeout=LIMIT_S, capture_output=True, text=True
    )
    one = found(place)
    text = f"{one.rate.ratio:.0f}" if one and one.rate else f"nothing: {done.stderr[-300:]}"
    print(number, kind, text, file=sys.stderr)


def found(place: Path) -> Capacity | None:
    """Return what a search has found; None if it has not come to its end."""
    runs = [record.load(path.parent) for path in place.glob(f"*/{record.FILE}")]
    return next((one for run in runs if run.head.finished_at for one in capacities(run)), None)


def said(folder: Path, kind: str) -> str:
    """Return how many intervals of a kind cover its capacity, and how wide they are."""
    each = list(searched(folder, kind))
    rates = [one.rate for one in each if one.rate and one.rate.bounded]
    truth = math.log(TRUTH[kind])
    covered = sum(rate.low <= truth <= rate.high for rate in rates)
    low, rate, high = (
        sum(math.exp(getattr(one, name)) for one in rates) / max(1, len(rates))
        for name in ("low", "value", "high")
    )
    return (
        f"{kind} {TRUTH[kind]:.0f}/s: {covered} of {len(each)} cover, {len(each) - len(rates)} "
        f"without an interval; in the mean {rate:.0f} [{low:.0f}, {high:.0f}]"
    )


def searched(folder: Path, kind: str) -> Iterator[Capacity]:
    """Yield what the searches of a kind have found."""
    yield from filter(None, map(found, (folder / kind).glob("*")))


def arguments() -> argparse.Namespace:
    """Return the words of the command line."""
    parser = argparse.ArgumentParser(description="Searches of a known capacity.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=100, help="searches of both kinds together")
    parser.add_argument("--at-once", type=int, default=6, help="searches at a time")
    parser.add_argument("--cell", type=float, default=2.0, help="seconds of a cell")
    parser.add_argument("--seconds", type=int, default=140, help="the time of a search")
    parser.add_argument("--minutes", type=float, default=720.0, help="begin none that ends later")
    return parser.parse_args()


if __name__ == "__main__":
    main(arguments())
