"""`race resume`: go on with an interrupted race."""

from __future__ import annotations

import argparse

from race.commands import Command
from race.commands.find import find, one_race
from race.commands.run import carry_out
from race.run import race


def run(options: argparse.Namespace) -> int:
    """As `race run`."""
    with race.interruptible():
        folder = find(options.results, options.race)
        head, plan = race.resumed(folder)
        return carry_out(folder, head, plan, options.json)


COMMAND = Command("go on with an interrupted race", one_race, run)
