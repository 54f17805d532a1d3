"""`race compare`: two saved races side by side, and a gate for CI."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from race.analysis.compare import RunComparison, compare
from race.commands import Command
from race.commands.find import SAVED_RACE, find
from race.commands.options import percent
from race.commands.output import write
from race.saved.reader import load

SLOWER = 1
UNDECIDED = 3
"""The exit status 2 is taken: it means wrong use."""
STATUS = (
    "Exit status with --fail-if-slower: 1 when something is slower by that much (the whole 95 % "
    "interval beyond it) or fails now, 0 when every interval excludes it, 3 when the races could "
    "not have shown it. Without it 0. Wrong use, and races with other connections, are 2."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two races, the form of the answer and the threshold."""
    parser.epilog = STATUS
    parser.add_argument("before", metavar="A", help=SAVED_RACE)
    parser.add_argument("after", metavar="B", help=SAVED_RACE)
    text = "exit 1 where B is slower by more than that, 3 where that is undecided"
    parser.add_argument("--fail-if-slower", type=percent, metavar="5%", help=text)
    text = "each contender against its race's mean: for machines of different speed"
    parser.add_argument("--relative", action="store_true", help=text)
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--html", type=Path, metavar="FILE")


def run(options: argparse.Namespace) -> int:
    """Print the comparison, write it where asked, and return the exit status (`STATUS`)."""
    from race.report import run_comparison

    old, new = (load(find(options.results, name)) for name in (options.before, options.after))
    found = compare(old, new, options.fail_if_slower, options.relative)
    if options.markdown:
        write(options.markdown, run_comparison.markdown(found))
    if options.html:
        write(options.html, run_comparison.html(found))
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        run_comparison.show(found)
    return 0 if options.fail_if_slower is None else _status(found)


def _status(found: RunComparison) -> int:
    if found.regressions:
        return SLOWER
    return UNDECIDED if found.unseen or not found.in_both else 0


COMMAND = Command("two races side by side", arguments, run)
