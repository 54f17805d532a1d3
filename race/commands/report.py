"""`race report`: a saved race as an HTML file, as Markdown, or its cells as CSV."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from race import console
from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.commands import Command
from race.commands.find import find, one_race, published
from race.commands.output import REPORT_FILE, write
from race.errors import RaceError
from race.saved.reader import SavedRace, load

ENDINGS = {".md": "markdown", ".csv": "csv"}
COLUMNS = (
    "one row for each cell, printed where no -o is given: race, round (0: the calibration), order, "
    "label, each factor, task, generator, connections, pipeline, rate (none: closed loop), status, "
    "outcome (counted, or why not), saturated (the party that was), reason, count, seconds, "
    "throughput (a second), errors, cpu_us of each party for a unit, latencies in microseconds "
    "(mean_us, p50_us, p99_us, p99.9_us, max_us), steal and foreign (fractions of the measured "
    "cores' time), started_at"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add which race, in which form, and where to."""
    forms = parser.add_mutually_exclusive_group()
    html = "one file that needs no network: the default; beside the race, but for published ones"
    markdown = "the rankings, for an issue or a README; printed where no -o is given"
    for name, text in (("html", html), ("markdown", markdown), ("csv", COLUMNS)):
        forms.add_argument(f"--{name}", action="store_const", dest="form", const=name, help=text)
    text = "write it there; without a form its ending (.html, .md, .csv) says which"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text)
    one_race(parser)


def run(options: argparse.Namespace) -> int:
    """Write a file and print where it is, or print Markdown or CSV."""
    saved = load(find(options.results, options.race))
    for problem in saved.problems:
        console.write(f"race: left out: {problem}", sys.stderr)
    form, path = _form(options), options.output
    if path is None and form == "html":
        path = _own_place(saved, options.results)
    if path is None and options.json:
        raise RaceError("--json says where a report was written: name its file with -o")
    text = _maker(form)(analyse(saved))
    if path is None:
        console.write(text, end="")
        return 0
    write(path, text, follow=options.output is not None)
    print(json.dumps({"race": saved.head.race, "report": str(path)}) if options.json else path)
    return 0


def _form(options: argparse.Namespace) -> str:
    """Return the form that was asked for, or that of the file's ending."""
    ending = options.output.suffix.lower() if options.output else ""
    found: str = options.form or ENDINGS.get(ending, "html")
    return found


def _own_place(saved: SavedRace, results: Path) -> Path:
    """Return a file beside the race; of a published one in the folder of results."""
    if published(saved.folder):
        return results / f"{Path(saved.head.race).name}.html"
    return saved.folder / REPORT_FILE


def _maker(form: str) -> Callable[[Analysis], str]:
    from race.report import html, markdown, table
    from race.report.tables import cells

    def spreadsheet(analysis: Analysis) -> str:
        return table.spreadsheet(cells.spreadsheet(analysis))

    return {"html": html.page, "markdown": markdown.page, "csv": spreadsheet}[form]


COMMAND = Command("a saved race as HTML, as Markdown, or its cells as CSV", arguments, run)
