"""`race show`: a scenario's plan in words, or what a saved race found."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import msgspec
from rich.table import Table

from race.analysis.analyse import analyse
from race.commands import Command
from race.commands.find import find, is_saved, known
from race.console import Console
from race.errors import RaceError, unknown
from race.plan import read
from race.run.race import prepare
from race.saved.head import Head
from race.saved.model import CALIBRATION, Cell, Discipline
from race.saved.reader import SavedRace, load
from race.scenario import Scenario
from race.terminal.phrases import figures, moment, work_text
from race.terminal.plan_text import plan_text, scenario_text
from race.terminal.say import tell
from race.terminal.tables import everything, plain_table


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name of a scenario or race."""
    text = "a saved race as for `report`; else a scenario, whose plan is shown"
    parser.add_argument("name", metavar="SCENARIO|RUN", help=text)
    text = "of a race, every cell; with --json they are what is printed"
    parser.add_argument("--cells", action="store_true", help=text)


def run(options: argparse.Namespace) -> int:
    """Print a scenario's plan, or the tables or cells of a saved race."""
    console, name = Console(), options.name
    if not is_saved(options.results, name):
        if name not in read.names() and not name.endswith(".toml"):
            raise unknown("scenario or race", name, [*read.names(), *known(options.results)])
        if options.cells:
            raise RaceError(f"{name} is a scenario: only a saved race has cells")
        _show_scenario(read.load(name), console, options)
        return 0
    saved = load(find(options.results, name))
    if options.json:
        print(json.dumps(msgspec.to_builtins(saved.cells)))
        return 0
    if options.cells:
        console.print(_cells(saved))
    else:
        _show_race(saved, console)
        if name in read.names():
            tell(console, f"{name} is a scenario, too: `race run {name} --dry-run` shows its plan.")
    for problem in saved.problems:
        console.print(str(problem), style="red", markup=False)
    return 0


def _show_scenario(scenario: Scenario, console: Console, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(scenario.as_json(), indent=1))
        return
    for line in _planned(scenario):
        tell(console, line)


def _planned(scenario: Scenario) -> Iterator[str]:
    """Yield the lines of a plan; if it cannot run here, what it asks for and why it cannot."""
    try:
        plan = prepare(scenario)
    except RaceError as error:
        yield from scenario_text(scenario)
        yield f"it cannot run here: {error}"
        return
    yield from plan_text(plan)
    yield from plan.notes


def _show_race(saved: SavedRace, console: Console) -> None:
    """Print the tables of a race as at its end."""
    found = analyse(saved)
    tell(console, _title(saved.head, len(saved.cells)))
    for table in everything(found):
        console.print(table)
    for text in found.remarks:
        tell(console, text)


def _title(head: Head, cells: int) -> str:
    """Return the name, the time and the state of a race."""
    state = "finished" if head.finished_at else "interrupted"
    asked = head.scenario.get("title") or head.scenario.get("name", "")
    return f"{head.race}: {asked}\n{moment(head.started_at)}, {state}, {cells} cells"


def _cells(saved: SavedRace) -> Table:
    rows = [_row(cell, saved.head.discipline) for cell in saved.cells]
    return plain_table(saved.head.race, rows, names=saved.head.discipline.contender)


def _row(cell: Cell, discipline: Discipline) -> dict[str, str]:
    return {
        "round": "calibration" if cell.round == CALIBRATION else str(cell.round),
        discipline.contender: cell.label,
        discipline.task: work_text(cell.work),
        "status": cell.status,
        "figures": figures(cell, discipline),
    }


COMMAND = Command("a scenario's plan, or what a saved race found", arguments, run)
