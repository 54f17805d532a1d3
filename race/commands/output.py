"""Answers of commands: to the terminal, as JSON or Markdown, or into a file."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from race import console
from race.analysis.model import Analysis
from race.commands.find import published
from race.errors import RaceError
from runtime.files import write_atomically

REPORT_FILE = "report.html"


def forms(parser: ArgumentParser) -> None:
    """Add the arguments that `answer` looks at."""
    parser.add_argument("--markdown", action="store_true", help="print it as Markdown instead")
    text = "write it there as Markdown, or as JSON with --json"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text)


def answer(
    options: Namespace,
    as_json: Callable[[], Any],
    markdown: Callable[[], str],
    show: Callable[[], None],
) -> None:
    """Print an answer in the form that was asked for, or write it to a file and print its path."""
    if not (options.json or options.markdown or options.output):
        show()
        return
    text = json.dumps(as_json()) + "\n" if options.json else markdown()
    if options.output is None:
        console.write(text, end="")
    else:
        write(options.output, text)
        print(options.output)


def write(path: Path, text: str, follow: bool = True) -> None:
    """Write it and make the folders on its way; RaceError where that cannot be, or must not."""
    if run := published(path):
        raise RaceError(f"{run} is a published run, which nothing is written into: name another -o")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode(), follow)
    except OSError as error:
        raise RaceError(f"cannot write {path}: {error.strerror}") from None


def report(found: Analysis) -> Path:
    """Write the report and return its path; raises RaceError if it cannot be written."""
    from race.report import html

    path = found.race.folder / REPORT_FILE
    try:
        write_atomically(path, html.page(found).encode(), follow=False)
    except OSError as error:
        raise RaceError(f"cannot write {path}: {error.strerror}; all results are saved") from None
    return path
