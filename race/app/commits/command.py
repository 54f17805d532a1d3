"""`race commits`: race two commits of an application against each other."""

from __future__ import annotations

import argparse
from pathlib import Path

from race.app.commits import checkouts, shared_rate
from race.commands import Command
from race.commands import run as races
from race.commands.options import as_words, changed, scenario_options
from race.console import Console
from race.errors import RaceError
from race.run import race
from race.terminal import programs
from race.terminal.say import tell

FILE = "race.toml"
APPLICATIONS = "app"
"""The discipline whose scenarios have commits."""
BRANCHES = ("origin/HEAD", "main", "master")


def revisions(parser: argparse.ArgumentParser) -> None:
    """Add the revisions and the file."""
    parser.add_argument("revisions", nargs="*", metavar="REVISION", help="the older one first")
    text = "in place of the first of two, the commit that both come from"
    parser.add_argument("--merge-base", action="store_true", help=text)
    parser.add_argument(
        "--file", default=FILE, metavar="FILE", help="the scenario for both; default %(default)s"
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the revisions, the file, and the options that change a scenario."""
    parser.epilog = (
        "One revision stands for the commit that it and HEAD have both come from, against HEAD; "
        f"none, for {' or '.join(BRANCHES)}. {checkouts.WORKTREE} is what is not committed yet."
    )
    revisions(parser)
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the random order")
    parser.add_argument("--dry-run", action="store_true", help="show the plan, race nothing")
    scenario_options(parser)
    programs.option(parser)


def run(options: argparse.Namespace) -> int:
    """Race them as `race run` does, with p99 at one rate where a generator can drive that."""
    words = typed("commits", options)
    complete(options)
    plan = race.prepare(changed(races.scenario(options), options))
    more, without = shared_rate.settings(plan.scenario, options.set)
    if without:
        tell(Console(stderr=True), without)
    options.set = [*more, *options.set]
    return races.run(options, words)


def typed(command: str, options: argparse.Namespace) -> list[str]:
    """Return a command with its revisions and options as they are typed, before `complete`."""
    words = [command, *options.revisions, "--file", options.file]
    words += ["--merge-base"] if options.merge_base else []
    return [*words, *as_words(options, APPLICATIONS)]


def complete(options: argparse.Namespace) -> None:
    """Add what `race run` would be asked for. RaceError if there is no file or no such commit."""
    if not Path(options.file).exists():
        raise RaceError(f"there is no {options.file}: `race init` writes one")
    chosen = _pair(Path(options.file).resolve().parent, options.revisions, options.merge_base)
    title = f"{chosen[0]} against {chosen[1]}"
    options.set = [
        *options.set,
        ("commits", chosen, f"commits={','.join(chosen)}"),
        ("title", title, f"title={title}"),
    ]
    options.scenario, options.like, options.program, options.path = options.file, None, None, None


def _pair(folder: Path, revisions: list[str], merged: bool = False) -> list[str]:
    """Return the two revisions to race; `merged`: in place of the first what both come from."""
    if len(revisions) > 2:
        raise RaceError("give at most two revisions, the older one first")
    if len(revisions) == 2 and revisions[0] == revisions[1]:
        raise RaceError(f"{revisions[0]} is named twice: name two revisions")
    if len(revisions) == 2 and merged:
        return [checkouts.merge_base(folder, *revisions)[:12], revisions[1]]
    if len(revisions) == 2:
        return revisions
    one = revisions[0] if revisions else _main(folder)
    if one == checkouts.WORKTREE:
        return ["HEAD", one]
    base = checkouts.merge_base(folder, one, "HEAD")
    if base in checkouts.resolved(folder, ["HEAD"]).values():
        raise RaceError(
            f"HEAD has no commit that {one} lacks: name two revisions, as in `race commits HEAD~1 "
            f"HEAD` (the last commit) or `race commits HEAD {checkouts.WORKTREE}` (your changes)"
        )
    return [base[:12], "HEAD"]


def _main(folder: Path) -> str:
    for name in BRANCHES:
        try:
            checkouts.resolved(folder, [name])
        except RaceError:
            continue
        return name
    checkouts.root(folder)
    raise RaceError(f"there is neither {' nor '.join(BRANCHES)}: name two revisions")


COMMAND = Command("race two commits of an application", arguments, run)
