"""`race show`: a scenario's plan, or the cells of a saved race."""

from __future__ import annotations

import argparse
import json

import msgspec
from rich.console import Console

from race.commands import Command
from race.commands.find import find
from race.plan import read
from race.saved.model import CALIBRATION, Cell, Discipline
from race.saved.reader import load
from race.terminal.phrases import figures, work_text
from race.terminal.tables import plain_table


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to show."""
    parser.add_argument("name", metavar="NAME", help="a scenario, or a race as for `report`")


def run(options: argparse.Namespace) -> int:
    """A scenario as it is loaded, or every cell of a saved race."""
    if options.name in read.names() or options.name.endswith(".toml"):
        print(json.dumps(read.load(options.name).as_json(), indent=1))
        return 0
    saved = load(find(options.results, options.name))
    if options.json:
        print(json.dumps(msgspec.to_builtins(saved.cells)))
        return 0
    twice = len({cell.pass_ for cell in saved.cells}) > 1
    rows = [_row(cell, saved.head.discipline, twice) for cell in saved.cells]
    console = Console()
    console.print(plain_table(saved.head.race, rows))
    for problem in saved.problems:
        console.print(str(problem), style="red", markup=False)
    return 0


def _row(cell: Cell, discipline: Discipline, twice: bool) -> dict[str, str]:
    return {
        "round": _round(cell, twice),
        discipline.contender: cell.label,
        discipline.task: work_text(cell.work),
        "status": cell.status,
        "figures": figures(cell, discipline),
    }


def _round(cell: Cell, twice: bool) -> str:
    """The round, with its pass in an old race of two."""
    if cell.round == CALIBRATION:
        return "calibration"
    return f"{cell.round} {cell.pass_}" if twice else f"{cell.round}"


COMMAND = Command("a scenario's plan, or the cells of a saved race", arguments, run)
