"""`race articles`: what articles claimed, held against saved races."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from race.commands import Command
from race.commands.find import SAVED_RACE, find
from race.commands.output import write
from race.errors import RaceError
from race.paths import CLAIMS, PUBLISHED
from race.plan.read import converted, toml
from race.saved.reader import RUN_FILE, load, read_head

if TYPE_CHECKING:
    from race.analysis.pairing import Run
    from race.report.articles.claimed import Article


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs, whose claims, in which form."""
    text = f"{SAVED_RACE}; without any, the published runs"
    parser.add_argument("races", nargs="*", metavar="RUN", help=text)
    text = "a folder with a TOML file for each article"
    parser.add_argument("--claims", type=Path, default=CLAIMS, metavar="DIR", help=text)
    parser.add_argument("--markdown", action="store_true", help="print it as Markdown instead")
    text = "write it there as Markdown, or as JSON with --json"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text)


def run(options: argparse.Namespace) -> int:
    """Print what became of every claim, or write it to a file."""
    from race.report.articles import page

    articles = read(options.claims)
    folders = [find(options.results, name) for name in options.races] or published()
    made = page.Page.of(articles, runs(folders, articles))
    text = None
    if options.json:
        text = json.dumps(made.as_json()) + "\n"
    elif options.markdown or options.output:
        text = page.markdown(made)
    if text is None:
        page.show(made)
    elif options.output is None:
        print(text, end="")
    else:
        write(options.output, text)
        print(options.output)
    return 0


def read(folder: Path) -> list[Article]:
    """The articles of a folder; RaceError in one line where a file is not right."""
    from race.report.articles.claimed import Article

    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise RaceError(f"no claims in {folder}: it has no file *.toml")
    key = "key of the claims"
    return [converted(toml(path), Article, path.name, f"{key} in {path.name}") for path in paths]


def published() -> list[Path]:
    """The folders of the published runs."""
    return sorted(path.parent for path in PUBLISHED.glob(f"*/{RUN_FILE}"))


def runs(folders: Iterable[Path], articles: Iterable[Article]) -> dict[str, list[Run]]:
    """Those that a claim asks for, analysed, by the name of their scenario; RaceError where two of
    one name cannot be merged.
    """
    from race.analysis.merge import same_scenario
    from race.analysis.pairing import Run

    asked = {one.race for article in articles for claim in article.claims for one in claim.here}
    found: dict[str, list[Run]] = {}
    for folder in folders:
        name = str(read_head(folder).scenario.get("name"))
        if name in asked:
            found.setdefault(name, []).append(Run.of(load(folder)))
    for several in found.values():
        same_scenario([one.analysis.race.head for one in several])
    return found


COMMAND = Command("what articles claimed, held against saved races", arguments, run)
