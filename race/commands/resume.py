"""`race resume`: go on with an interrupted race."""

from __future__ import annotations

import argparse

from race.commands import Command, programs
from race.commands.find import find, one_race
from race.commands.run import carry_out
from race.run import race
from race.scenario import Scenario


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name of the race."""
    one_race(parser)
    text = "also those that only its folder names, of a race that was not begun here"
    parser.add_argument(programs.OPTION, action="store_true", help=text)


def run(options: argparse.Namespace) -> int:
    """Run what is left of a race."""
    with race.interruptible():
        folder = find(options.results, options.race)
        head, plan = race.resumed(folder, _anything if options.run_programs else programs.ask)
        return carry_out(folder, head, plan, options.json)


def _anything(scenario: Scenario) -> None:
    """Allow all programs, since a person has said so."""


COMMAND = Command("go on with an interrupted race", arguments, run)
