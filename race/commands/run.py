"""The commands that race, or show what a race found."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from race.analysis.analyse import analyse
from race.errors import RaceError, unknown
from race.plan import order as plan
from race.plan import scenario
from race.plan.scenario import Scenario
from race.run import race as session
from race.run.race import Stage
from race.saved import reader as results
from race.saved.model import Head
from race.terminal import tables as summary

REPORT_FILE = "report.html"
FAILED = 1
INTERRUPTED = 130


def run(options: argparse.Namespace) -> int:
    """`race run`."""
    with session.interruptible():
        return _run(options)


def resume(options: argparse.Namespace) -> int:
    """`race resume`."""
    with session.interruptible():
        folder = find(options.results, options.race)
        head, stage = session.resumed(folder)
        return _race(folder, head, stage, Console(stderr=options.json), options.json)


def _run(options: argparse.Namespace) -> int:
    chosen = _changed(scenario.load(options.scenario), options)
    stage = session.prepare(chosen)
    console = Console(stderr=options.json)
    for note in stage.notes:
        _say(console, note)
    if options.dry_run:
        return _dry_run(stage, console, options.json)
    seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
    head = session.new_head(stage, seed, _command(options, seed), options.results)
    return _race(options.results / head.run, head, stage, console, options.json)


def report(options: argparse.Namespace) -> int:
    """`race report`: write the HTML file, print where it is; or print it as Markdown."""
    from race.report import html, markdown

    folder = find(options.results, options.race)
    saved = results.load(folder)
    for problem in saved.problems:
        print(f"race: left out: {problem}", file=sys.stderr)
    if options.markdown:
        print(markdown.page(saved), end="")
        return 0
    path = folder / REPORT_FILE
    html.write(saved, path)
    print(json.dumps({"run": saved.head.run, "report": str(path)}) if options.json else path)
    return 0


def find(folder: Path, name: str) -> Path:
    """The folder of a saved race: by id, by path, or the one that began last."""
    if Path(name).is_dir() and (Path(name) / results.RUN_FILE).exists():
        return Path(name)
    runs = sorted(path.parent.name for path in folder.glob(f"*/{results.RUN_FILE}"))
    if name == "latest" and runs:
        return folder / max(runs, key=lambda run: results.load(folder / run).head.started_at)
    if name not in runs:
        raise unknown("race", name, runs) if runs else RaceError(f"no saved races in {folder}")
    return folder / name


def compare(options: argparse.Namespace) -> int:
    """`race compare`: exit 1 when a regression beyond the limit is supported by the intervals."""
    from race.analysis import compare as comparing

    before, after = (find(options.results, name) for name in (options.before, options.after))
    return comparing.main(before, after, options)


def _race(folder: Path, head: Head, stage: Stage, console: Console, as_json: bool) -> int:
    again = f"race resume {head.run}"
    try:
        session.run(folder, head, stage, console)
    except KeyboardInterrupt:
        kept = len(results.load(folder).cells)
        _say(console, f"interrupted; {kept} finished cells are kept: go on with `{again}`")
        return INTERRUPTED
    saved = results.load(folder)
    _summary(saved, console, as_json)
    return FAILED if any(cell.status == "failed" for cell in saved.cells) else 0


def _summary(saved: results.Run, console: Console, as_json: bool) -> None:
    """The ranking, and where the report is."""
    from race.report import html
    from race.terminal import rankings as terminal

    found = analyse(saved)
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        for ranking in terminal.rankings(saved) if saved.head.scenario["rounds"] > 1 else ():
            console.print(ranking)
        if (table_at_rates := summary.latencies(saved)) is not None:
            console.print(table_at_rates)
        console.print(summary.matrix(saved))
        for text in (found.headline.text if found.headline else "", *found.validity.warnings):
            _say(console, text)
    html.write(saved, saved.folder / REPORT_FILE)
    _say(console, f"results: {saved.folder}")
    _say(console, f"report:  {saved.folder / REPORT_FILE}")


def _dry_run(stage: Stage, console: Console, as_json: bool) -> int:
    works = [{"page": work.page, "load": work.load.describe()} for work in stage.works]
    plan_: dict[str, Any] = {
        "scenario": stage.scenario.name,
        "contenders": [one.label for one in stage.contenders],
        "works": works,
        "rounds": stage.scenario.rounds,
        "cells": stage.cells,
        "seconds": round(stage.seconds()),
        "left_out": stage.notes,
    }
    if as_json:
        print(json.dumps(plan_, indent=1))
        return 0
    _say(console, f"{stage.scenario.name}: {stage.scenario.title}")
    _say(console, "contenders: " + ", ".join(plan_["contenders"]))
    _say(console, "cells of each: " + "; ".join(f"{w['page']} ({w['load']})" for w in works))
    if plan.has_open_loop(stage.scenario):
        _say(console, "after the first round: fixed rates, from the capacities it finds")
    minutes = stage.seconds() / 60
    _say(console, f"{stage.cells} cells in {stage.scenario.rounds} rounds, each forward and "
                  f"in reverse: about {minutes:.1f} minutes")  # fmt: skip
    return 0


def _changed(chosen: Scenario, options: argparse.Namespace) -> Scenario:
    """The scenario with what the command line changes."""
    wanted = {
        "engines": options.engines,
        "pages": options.pages,
        "rounds": options.rounds,
        "port": options.port,
        "validity.reruns": options.reruns,
        "load.duration_s": options.duration,
        "load.connections": options.connections,
    }
    changes = {key: value for key, value in wanted.items() if value is not None}
    return scenario.change(chosen, changes) if changes else chosen


def _command(options: argparse.Namespace, seed: int) -> Sequence[str]:
    """The command that repeats a race, with the seed of its order."""
    words = ["race", "run", options.scenario]
    for name in ("engines", "pages"):
        value = getattr(options, name)
        words += [f"--{name}", ",".join(value)] if value else []
    for name in ("rounds", "reruns", "duration", "connections", "port"):
        value = getattr(options, name)
        words += [f"--{name}", str(value)] if value is not None else []
    return [*words, "--seed", str(seed)]


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
