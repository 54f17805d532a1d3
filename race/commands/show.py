"""`race list` and `race show`: scenarios and saved races, as tables or JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from race.commands import run as commands
from race.plan import scenario
from race.saved import reader as results
from race.saved.reader import ResultsError
from race.terminal.board import figures, page_text


def list_all(options: argparse.Namespace) -> int:
    """`race list`."""
    scenarios = [scenario.load(name) for name in scenario.names()]
    ready = [
        {
            "scenario": one.name,
            "title": one.title,
            "engines": len(one.engines),
            "pages": len(one.pages),
            "rounds": one.rounds,
        }
        for one in scenarios
    ]
    saved = [_saved(path.parent) for path in sorted(options.results.glob(f"*/{results.RUN_FILE}"))]
    if options.json:
        print(json.dumps({"scenarios": ready, "races": saved}, indent=1))
        return 0
    console = Console()
    console.print(table("Scenarios", ready))
    if saved:
        console.print(table(f"Races in {options.results}", saved))
    return 0


def show(options: argparse.Namespace) -> int:
    """`race show`: a scenario as it is loaded, or every cell of a saved race."""
    if options.name in scenario.names() or options.name.endswith(".toml"):
        print(json.dumps(scenario.load(options.name).as_json(), indent=1))
        return 0
    saved = results.load(commands.find(options.results, options.name))
    if options.json:
        print(json.dumps([cell.as_json() for cell in saved.cells]))
        return 0
    rows = [{"round": f"{cell.round} {cell.pass_}", "engine": cell.label,
             "page": page_text(cell.page, cell.load), "status": cell.status,
             "figures": figures(cell)} for cell in saved.cells]  # fmt: skip
    console = Console()
    console.print(table(saved.head.run, rows))
    for problem in saved.problems:
        console.print(str(problem), style="red", markup=False)
    return 0


def table(title: str, rows: list[dict[str, Any]]) -> Table:
    """Rows with the same keys as a table; numbers to the right."""
    made = Table(title=title, title_justify="left")
    for name, value in rows[0].items() if rows else ():
        made.add_column(name, justify="right" if isinstance(value, int | float) else "left")
    for row in rows:
        made.add_row(*(str(value) for value in row.values()))
    return made


def _saved(folder: Path) -> dict[str, Any]:
    try:
        run = results.load(folder)
    except ResultsError as error:
        return {"race": folder.name, "began": "", "cells": 0, "state": str(error)}
    failed = sum(cell.status == "failed" for cell in run.cells)
    state = "finished" if run.head.finished_at else "interrupted"
    return {"race": run.head.run, "began": run.head.started_at, "cells": len(run.cells),
            "state": f"{state}, {failed} failed" if failed else state}  # fmt: skip
