"""`race merge`: several runs of one scenario as one result."""

from __future__ import annotations

import argparse

from race.analysis.merge import merge
from race.commands import Command
from race.commands.find import SAVED_RACE, find
from race.commands.output import answer, forms
from race.errors import RaceError
from race.saved.reader import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs and the form of the answer."""
    parser.add_argument("races", nargs="+", metavar="RUN", help=SAVED_RACE)
    forms(parser)


def run(options: argparse.Namespace) -> int:
    """Print the merged result, or write it to a file."""
    from race.report import merged

    if len(options.races) < 2:
        raise RaceError("merging takes two runs or more: race merge RUN RUN ...")
    found = merge([load(find(options.results, name)) for name in options.races])
    answer(options, found.as_json, lambda: merged.markdown(found), lambda: merged.show(found))
    return 0


COMMAND = Command("several runs of one scenario as one result", arguments, run)
