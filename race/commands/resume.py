"""`race resume`: go on with an interrupted race."""

from __future__ import annotations

import argparse

from race.commands import Command
from race.commands.find import find, one_race
from race.commands.run import carry_out
from race.run import race
from race.terminal import programs


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name of the race."""
    one_race(parser)
    programs.option(parser)


def run(options: argparse.Namespace) -> int:
    """Run what is left of a race."""
    with race.interruptible():
        folder = find(options.results, options.race)
        head, plan = race.resumed(folder, programs.permission(options))
        return carry_out(folder, head, plan, options.json)


COMMAND = Command("go on with an interrupted race", arguments, run)
