"""`race articles`: what articles claimed, held against saved races."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from race import console
from race.commands import FAILED, Command
from race.commands.find import SAVED_RACE, find
from race.commands.output import answer, forms
from race.paths import CLAIMS, PUBLISHED
from race.saved.reader import RUN_FILE, load, read_head

if TYPE_CHECKING:
    from race.analysis.pairing import Run


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs, the folder of the claims and the form of the answer."""
    text = f"{SAVED_RACE}; without any, the published runs"
    parser.add_argument("races", nargs="*", metavar="RUN", help=text)
    text = "a folder with a TOML file for each article"
    parser.add_argument("--claims", type=Path, default=CLAIMS, metavar="DIR", help=text)
    forms(parser)


def run(options: argparse.Namespace) -> int:
    """Print the verdict on every claim, or write it to a file; exit 1 where runs were named and no
    claim asks for any of them.
    """
    from race.report.claims import article, page

    articles = article.read(options.claims)
    names = scenarios([find(options.results, name) for name in options.races] or published())
    wanted = article.scenarios(articles)
    if options.races and (
        others := {one: name for one, name in names.items() if name not in wanted}
    ):
        console.write(f"race: {_unasked(others, wanted)}", sys.stderr)
        if len(others) == len(names):
            return FAILED
    made = page.ClaimsPage.of(articles, runs(names, wanted))
    answer(options, made.as_json, lambda: page.markdown(made), lambda: page.show(made))
    return 0


def _unasked(others: Mapping[Path, str], wanted: Iterable[str]) -> str:
    """Return the message about runs that no claim asks for, with the scenarios that they do."""
    given = ", ".join(f"{name} ({folder.name})" for folder, name in others.items())
    return f"no claim asks for {given}: claims ask for {', '.join(wanted)}"


def published() -> list[Path]:
    """Return the folders of the published runs."""
    return sorted(path.parent for path in PUBLISHED.glob(f"*/{RUN_FILE}"))


def scenarios(folders: Iterable[Path]) -> dict[Path, str]:
    """Return folders of runs with the names of their scenarios."""
    return {folder: str(read_head(folder).scenario.get("name")) for folder in folders}


def runs(names: Mapping[Path, str], wanted: Iterable[str]) -> dict[str, list[Run]]:
    """Return the runs of wanted scenarios, analysed, by scenario; RaceError where two of one
    scenario cannot be merged.
    """
    from race.analysis.merge import same_scenario
    from race.analysis.pairing import Run

    found: dict[str, list[Run]] = {}
    for folder, name in names.items():
        if name in wanted:
            found.setdefault(name, []).append(Run.of(load(folder)))
    for several in found.values():
        same_scenario([one.analysis.race.head for one in several])
    return found


COMMAND = Command("what articles claimed, held against saved races", arguments, run)
