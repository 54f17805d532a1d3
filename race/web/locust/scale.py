"""How many users so many workers carry: runs of the shape Ramp, in rounds, as a table for docs.

By hand: ``.venv/bin/python -m race.web.locust.scale --workers 0,1,2 --rounds 3``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from race.errors import RaceError
from race.web.locust.__main__ import FAILED, WORKERS
from runtime.arguments import Parser
from runtime.child import dies_with_parent
from runtime.paths import ROOT

INTERRUPTED = 130
# With 1, requests failed: beyond the knee some may.
USABLE = (0, FAILED)
RAMP = ("--ramp-first=200", "--ramp-step=200", "--ramp-time=10s", "--ramp-most=8000")
# The shape's own words, of which the users and the requests/s are wanted.
HELD = re.compile(r"(?P<end>the knee is at|no knee up to) (?P<users>\d+) users \((?P<rate>[\d.]+) ")
# Locust's own, of a process that fills its core.
WARNING = "CPU usage"
# The launcher's: such a run ends with 1 as well.
DIED = "the site died: "
# A ramp of forty steps of ten seconds, and the start and end of everything.
RUN_SECONDS = 600.0
END_SECONDS = 40.0
HEAD = ("workers", "runs", "users", "requests/s", "server's CPU", "Locust's CPU full")


@dataclass(frozen=True)
class Found:
    """One run: the last step that it held. ``open``: nothing bent, so the knee is further up.

    ``server`` is the highest CPU of the server in a second, in cores; None where nobody saw it.
    ``full``: Locust said that a process of its own was.
    """

    users: int
    rate: float
    open: bool
    server: float | None
    full: bool


def order(counts: Sequence[int], rounds: int) -> Iterator[int]:
    """Numbers of workers in the order of their runs: every second round backwards, so that a drift
    of the machine meets all alike.
    """
    for number in range(rounds):
        yield from counts if number % 2 == 0 else reversed(counts)


def found(report: Mapping[str, Any], said: str) -> Found:
    """What a run found, by its report.json and its output; RaceError where that is nothing."""
    if DIED in said:
        raise RaceError(next(line for line in said.splitlines() if DIED in line))
    if not report["verdict"]["valid"]:
        raise RaceError("; ".join(report["verdict"]["reasons"]))
    held = HELD.match(report["finding"] or "")
    if held is None:
        raise RaceError(report["finding"] or "the run ended before its first step was over")
    cpu = [one["server_cpu"] for one in report["server"] if one["server_cpu"] is not None]
    return Found(
        users=int(held["users"]),
        rate=float(held["rate"]),
        open=held["end"] != "the knee is at",
        server=max(cpu, default=None),
        full=WARNING in said,
    )


def table(runs: Mapping[int, Sequence[Found]]) -> Iterator[str]:
    """Lines of Markdown: medians, and the lowest and highest of the runs in brackets."""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|" + "---|" * len(HEAD)
    for number, of in sorted(runs.items()):
        cells = [
            str(number or "none"),
            str(len(of)),
            ("≥ " if any(one.open for one in of) else "") + middle([one.users for one in of], 0),
            middle([one.rate for one in of], 0),
            middle([one.server for one in of if one.server is not None], 2),
            f"in {sum(one.full for one in of)} of {len(of)}",
        ]
        yield "| " + " | ".join(cells) + " |"


def middle(numbers: Sequence[float], digits: int) -> str:
    """The median, with the lowest and the highest, rounded to so many digits; a dash for none."""
    if not numbers:
        return "–"
    low, mid, high = min(numbers), statistics.median(numbers), max(numbers)
    return f"{mid:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def measure(asked: argparse.Namespace, number: int) -> Found:
    """One run, on a site of its own; RaceError where it is of no use."""
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        words = ["--headless", "--shape", "Ramp", "--workers", str(number), "--reports", folder]
        words += ["--engine", asked.engine, "--user", asked.user, "--", *RAMP, *asked.locust]
        status, said = launched([sys.executable, "-m", "race.web.locust", *words])
        reports = list(Path(folder).glob("*/report.json"))
        if status not in USABLE or not reports:
            last = (said.strip() or "it said nothing").splitlines()[-1]
            raise RaceError(f"the run ended with status {status}: {last}")
        return found(json.loads(reports[0].read_text(encoding="utf-8")), said)


def launched(words: Sequence[str]) -> tuple[int, str]:
    """A command's exit status and what it said; it ends in order before we do."""
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        text=True,
        # Ctrl-C reaches us alone.
        start_new_session=True,
        preexec_fn=dies_with_parent(signal.SIGTERM),  # noqa: PLW1509 - one thread
    )
    try:
        said, _ = process.communicate(timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        raise RaceError(f"the run was not over within {RUN_SECONDS:.0f} s") from None
    finally:
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=END_SECONDS)
        process.kill()
        process.wait()
    return process.returncode, said


def main(argv: Sequence[str] | None = None) -> int:
    """The command; the exit status. What was measured is printed also after Ctrl-C or a failure."""
    asked = parser().parse_args(argv)
    runs: dict[int, list[Found]] = {number: [] for number in asked.workers}
    status = 0
    try:
        for number in order(asked.workers, asked.rounds):
            runs[number].append(measure(asked, number))
            print(f"{number} workers: {runs[number][-1]}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except RaceError as error:
        print(f"scale: {error}", file=sys.stderr)
        status = FAILED
    print("\n".join(table({number: of for number, of in runs.items() if of})))
    return status


def parser() -> Parser:
    """What can be asked for."""
    made = Parser(
        "scale",
        description="Find the knee of a ramp with several numbers of workers, in rounds.",
        epilog=f"What stands behind -- goes to Locust, after {' '.join(RAMP)}",
    )
    made.add_argument("--workers", type=counts, default=[0, 1, 2], help="default 0,1,2; 0: none")
    made.add_argument("--rounds", type=rounds, default=3, help="of each number, default 3")
    made.add_argument("--engine", default="aiohttp-memory-one", help="default %(default)s")
    made.add_argument("--user", default="Reader", help="default %(default)s")
    made.add_argument("locust", nargs="*", help=argparse.SUPPRESS)
    return made


def counts(text: str) -> list[int]:
    """Numbers of workers, with commas, none twice."""
    numbers = [WORKERS(word) for word in text.split(",")]
    if len(set(numbers)) < len(numbers):
        raise argparse.ArgumentTypeError(f"{text!r} has a number twice")
    return numbers


def rounds(text: str) -> int:
    """How often each is run."""
    if not text.isdecimal() or not 0 < int(text) <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rounds: 1 to 100")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
