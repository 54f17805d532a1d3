"""`race completion`: what a shell needs to complete commands, options and names."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from race.commands import Command
from race.commands.find import LATEST, known
from race.plan import read

SHELLS = ("bash", "zsh", "fish")
RUNS = {"RACE", "RUN", "A", "B"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell."""
    parser.add_argument("shell", choices=SHELLS)


def run(options: argparse.Namespace) -> int:
    """Print code that asks `race` itself at each press of Tab."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["race"], shell=options.shell))
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell that asks what Tab may put, and end the process; return if none asks."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        completer: Any = offered  # called like argcomplete's own, which are classes
        argcomplete.autocomplete(parser, default_completer=completer)


def offered(
    prefix: str, action: argparse.Action, parsed_args: argparse.Namespace, **_: object
) -> Iterable[str]:
    """Return what an argument may be, by its name in the help; files for all others."""
    from argcomplete.completers import FilesCompleter

    words = set(str(action.metavar).split("|"))
    found = [LATEST, *known(parsed_args.results)] if words & RUNS else []
    if "SCENARIO" in words:
        found += [*read.names(), *(str(path) for path in Path().glob("*.toml"))]
    return found or FilesCompleter()(prefix)


COMMAND = Command("code that completes `race` in a shell", arguments, run)
