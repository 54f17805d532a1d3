"""`race merge`: several runs of one scenario as one result."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from race.analysis.merge import merge
from race.commands import Command
from race.commands.find import SAVED_RACE, find
from race.commands.output import write
from race.errors import RaceError
from race.saved.reader import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs and the form of the answer."""
    parser.add_argument("races", nargs="+", metavar="RUN", help=SAVED_RACE)
    parser.add_argument("--markdown", action="store_true", help="print it as Markdown instead")
    text = "write it there as Markdown, or as JSON with --json"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text)


def run(options: argparse.Namespace) -> int:
    """Print the merged result, or write it to a file."""
    from race.report import merged

    if len(options.races) < 2:
        raise RaceError("merging takes two runs or more: race merge RUN RUN ...")
    found = merge([load(find(options.results, name)) for name in options.races])
    text = None
    if options.json:
        text = json.dumps(found.as_json()) + "\n"
    elif options.markdown or options.output:
        text = merged.markdown(found)
    if text is None:
        merged.show(found)
    elif options.output is None:
        print(text, end="")
    else:
        write(options.output, text)
        print(options.output)
    return 0


COMMAND = Command("several runs of one scenario as one result", arguments, run)
