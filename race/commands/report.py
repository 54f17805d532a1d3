"""`race report`: the HTML file of a saved race, or its Markdown."""

from __future__ import annotations

import argparse
import json
import sys

from race.analysis.analyse import analyse
from race.commands import Command
from race.commands.find import find, one_race
from race.commands.run import REPORT_FILE
from race.saved.reader import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which race, in which form."""
    parser.add_argument("--markdown", action="store_true", help="print it as Markdown instead")
    one_race(parser)


def run(options: argparse.Namespace) -> int:
    """Write the HTML file and print where it is; or print it as Markdown."""
    from race.report import html, markdown

    saved = load(find(options.results, options.race))
    for problem in saved.problems:
        print(f"race: left out: {problem}", file=sys.stderr)
    found = analyse(saved)
    if options.markdown:
        print(markdown.page(found), end="")
        return 0
    path = saved.folder / REPORT_FILE
    html.write(found, path)
    print(json.dumps({"race": saved.head.race, "report": str(path)}) if options.json else path)
    return 0


COMMAND = Command("write the HTML report of a race", arguments, run)
