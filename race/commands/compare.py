"""`race compare`: two saved races side by side, and a gate for CI."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from race.analysis.compare import compare
from race.commands import Command
from race.commands.find import SAVED_RACE, find
from race.saved.reader import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which two, in which form, and what is too slow."""
    parser.add_argument("before", metavar="A", help=SAVED_RACE)
    parser.add_argument("after", metavar="B", help="likewise")
    parser.add_argument("--fail-if-slower", type=_percent, metavar="5%", help="exit 1 beyond that")
    text = "each contender against its race's mean: for machines of different speed"
    parser.add_argument("--relative", action="store_true", help=text)
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--html", type=Path, metavar="FILE")


def run(options: argparse.Namespace) -> int:
    """Print, write what was asked for; the exit code of the gate.

    0 without `--fail-if-slower` or when nothing is slower by that much, 1 on a regression that the
    intervals support, 2 when the races have too little in common to decide anything.
    """
    from race.report import comparison

    old, new = (load(find(options.results, name)) for name in (options.before, options.after))
    found = compare(old, new, options.fail_if_slower, options.relative)
    if options.markdown:
        options.markdown.write_text(comparison.markdown(found), encoding="utf-8")
    if options.html:
        options.html.write_text(comparison.html(found), encoding="utf-8")
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        comparison.show(found)
    if options.fail_if_slower is None:
        return 0
    return 1 if found.regressions else 0 if found.decided else 2


def _percent(text: str) -> float:
    """A fraction from `5%` or `5`."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5%") from None
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0% and 100%")
    return value


COMMAND = Command("two races side by side", arguments, run)
