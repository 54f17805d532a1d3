"""`race list`: the scenarios, and the saved and published races."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from race.commands import Command
from race.console import Console
from race.errors import RaceError
from race.paths import PUBLISHED
from race.plan import read
from race.run.race import prepare
from race.saved.reader import RUN_FILE, ResultsError, load
from race.terminal.phrases import duration, moment
from race.terminal.say import tell
from race.terminal.tables import plain_table
from runtime.paths import ROOT


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options: `race list` has none of its own."""


def run(options: argparse.Namespace) -> int:
    """Print scenarios, saved races and the names of published ones; or all as JSON."""
    scenarios = [_scenario(name) for name in read.names()]
    saved = [_saved(path.parent) for path in sorted(options.results.glob(f"*/{RUN_FILE}"))]
    published = sorted(path.parent.name for path in PUBLISHED.glob(f"*/{RUN_FILE}"))
    if options.json:
        found = {"scenarios": scenarios, "races": saved, "published": published}
        print(json.dumps(found, indent=1))
        return 0
    console = Console()
    shown = [{key: one[key] for key in ("scenario", "title", "time")} for one in scenarios]
    absent = {one["scenario"]: one["time"] for one in scenarios if not one["runs"]}
    for row in shown:
        row["time"] = "cannot run" if row["scenario"] in absent else row["time"]
    console.print(plain_table("Scenarios", shown))
    for reason in dict.fromkeys(absent.values()):
        names = [name for name, why in absent.items() if why == reason]
        tell(console, f"{', '.join(names)} cannot run here: {reason}")
    if saved:
        local = [{**one, "began": moment(one["began"])} for one in saved]
        console.print(plain_table(f"Races in {options.results}", local))
    if published:
        place = PUBLISHED.relative_to(ROOT)
        tell(console, f"Published races, in {place}: {', '.join(published)}")
    return 0


def _scenario(name: str) -> dict[str, Any]:
    """Return a row: what is raced, and how long that takes or why it cannot run here."""
    one, runs = read.load(name), True
    try:
        time = duration(prepare(one).seconds())
    except RaceError as error:
        time, runs = str(error), False
    return {
        "scenario": one.name,
        "title": one.title,
        "contenders": len(one.contenders),
        "tasks": len(one.tasks),
        "rounds": one.rounds,
        "runs": runs,
        "time": time,
    }


def _saved(folder: Path) -> dict[str, Any]:
    try:
        race = load(folder)
    except ResultsError as error:
        return {"race": folder.name, "began": "", "cells": 0, "state": str(error)}
    failed = sum(cell.status == "failed" for cell in race.cells)
    state = "finished" if race.head.finished_at else "interrupted"
    return {
        "race": race.head.race,
        "began": race.head.started_at,
        "cells": len(race.cells),
        "state": f"{state}, {failed} failed" if failed else state,
    }


COMMAND = Command("the scenarios, and the saved and published races", arguments, run)
