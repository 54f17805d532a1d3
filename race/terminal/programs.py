"""Asks before programs are run, or machines connected to, that only a saved race names.

Its folder may come from elsewhere. Its programs run if they ran here before, or if a person
agrees; a machine is among them as the command `ssh HOST`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from race.console import visible
from race.errors import RaceError
from race.scenario import Scenario
from runtime.paths import var

KNOWN = "programs"
"""The file with the programs that were run here, a digest in each line."""
OPTION = "--run-programs"


def option(parser: ArgumentParser) -> None:
    """Add the option that allows programs without a question."""
    text = "run the programs, and connect to the machines, that a race from elsewhere names"
    parser.add_argument(OPTION, action="store_true", help=text)


def permission(options: Namespace) -> Callable[[Scenario], None]:
    """Return `ask`, or where a person has allowed all programs, a function that does nothing."""
    return (lambda scenario: None) if options.run_programs else ask


def remember(scenario: Scenario) -> None:
    """Remember the programs of a race that a person begins here."""
    if not scenario.own_programs or _known(scenario):
        return
    with contextlib.suppress(OSError):  # a resumed race then asks
        path = _file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(f"{_digest(scenario)}\n")


def ask(scenario: Scenario) -> None:
    """Ask for permission; raises RaceError unless they ran here before or a person says yes."""
    if not scenario.own_programs or _known(scenario):
        return
    print("This race was not begun here, and runs programs that its folder names:", file=sys.stderr)
    for name, words in scenario.own_programs.items():
        print(f"  {visible(name, '')}: {visible(shlex.join(words), '')}", file=sys.stderr)
    if not sys.stdin.isatty():
        raise RaceError(f"there is no terminal to ask on: allow them with {OPTION}")
    print("Run them? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RaceError("nothing was run")


def _known(scenario: Scenario) -> bool:
    try:
        return _digest(scenario) in _file().read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return False


def _file() -> Path:
    return var() / KNOWN


def _digest(scenario: Scenario) -> str:
    words = sorted((name, list(words)) for name, words in scenario.own_programs.items())
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()
