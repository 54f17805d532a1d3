"""The command ``python -m chaos``: faults done on purpose, and a table of what became of them."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from chaos import FAULTS
from chaos.lab import Fault, Lab
from chaos.saved import load, merged, save, write
from chaos.seen import Seen
from chaos.table import Row, Run, page, table, verdict
from race.errors import RaceError, unknown
from race.machine import describe
from race.machine.cores import allowed
from race.run.race import interruptible
from runtime.arguments import WRONG_USE, Parser
from runtime.paths import ROOT

FAILED = 1
INTERRUPTED = 130
SEED = 11


class TooLong(Exception):
    """A fault took longer than it may."""


def main(argv: Sequence[str] | None = None) -> int:
    """Do the faults; 0 when all that could be tried was survived."""
    options = parser().parse_args(argv)
    try:
        if options.saved:
            return tell(merged([load(path) for path in options.saved]), options)
        faults = chosen(options.names)
    except RaceError as error:
        print(f"chaos: {error}", file=sys.stderr)
        return WRONG_USE
    began = time.monotonic()
    rows: list[Row] = []
    status = None
    try:
        with interruptible():
            do(faults, options.short, options.seed, rows)
    except KeyboardInterrupt:
        print("chaos: interrupted", file=sys.stderr)
        options.output, status = None, INTERRUPTED
    run = Run(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        commit=commit(),
        machine=f"{len(allowed())} cores of {describe.cpu_model()}",
        seed=str(options.seed),
        minutes=(time.monotonic() - began) / 60,
        short=options.short,
        rows=rows,
    )
    survived = tell(run, options)
    return survived if status is None else status


def tell(run: Run, options: argparse.Namespace) -> int:
    """The table to a person, a page and a file; 0 when all that could be tried was survived."""
    print("\n" + table(run.rows) + "\n" + verdict(run.rows))
    if options.json:
        save(run, options.json)
    if options.output:
        write(options.output, page(run))
    return FAILED if any(row.wrong for row in run.rows) else 0


def parser() -> Parser:
    """The command line."""
    made = Parser("chaos", description=__doc__)
    made.add_argument("names", nargs="*", metavar="FAULT", help=f"of {', '.join(FAULTS)}; all")
    made.add_argument("--short", action="store_true", help="less of each: some minutes in all")
    made.add_argument("--seed", type=int, default=SEED, metavar="S", help="default %(default)s")
    made.add_argument("--output", type=Path, metavar="FILE", help="the table as a page of its own")
    made.add_argument("--json", type=Path, metavar="FILE", help="what was seen, in full")
    text = "do nothing: make one table of what several runs saved with --json"
    made.add_argument("--saved", type=Path, nargs="+", metavar="FILE", help=text)
    return made


def chosen(names: Sequence[str]) -> dict[str, Fault]:
    """The faults of those names in the registry's order; all where none is named."""
    for name in names:
        if name not in FAULTS:
            raise unknown("fault", name, FAULTS)
    return {name: FAULTS[name].load() for name in FAULTS if name in names or not names}


def do(faults: dict[str, Fault], short: bool, seed: int, rows: list[Row]) -> None:
    """Each fault in its turn, whatever became of the one before; a row for each subject."""
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as folder:
        for name, fault in faults.items():
            # A lab of its own: what one fault leaves of a database is nothing to the next.
            lab = Lab(Path(folder, name), short, seed, say)
            try:
                bounded(lab, fault, rows)
            finally:
                lab.close()


def bounded(lab: Lab, fault: Fault, rows: list[Row]) -> None:
    """What was seen, and that it took too long or broke down, where it did."""
    try:
        with within(fault.bound):
            for seen in fault.run(lab):
                rows.append(Row(fault, seen))  # noqa: PERF401 - those before a breakdown stay
    except TooLong:
        wrong = [f"not done after {fault.bound:.0f} s"]
        rows.append(Row(fault, Seen("the fault itself", "once", wrong=wrong)))
    except Exception as error:  # noqa: BLE001 - one fault must not hide the others
        wrong = [f"{type(error).__name__}: {error}"]
        rows.append(Row(fault, Seen("the fault itself", "once", wrong=wrong)))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """TooLong once the block has taken so many seconds."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def say(line: str) -> None:
    """As it happens."""
    print(line, flush=True)


def commit() -> str:
    """The project's, and whether files differ from it."""
    git = ["git", "-C", str(ROOT)]
    name = describe.output([*git, "rev-parse", "--short", "HEAD"]) or "unknown"
    return name + (" with changes" if describe.output([*git, "status", "--porcelain"]) else "")


if __name__ == "__main__":
    sys.exit(main())
