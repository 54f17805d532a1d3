"""`race run`: plan a race, run it, show what it found."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import secrets
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.commands import FAILED, INTERRUPTED, Command, again, programs
from race.console import Console
from race.discipline import DISCIPLINES, discipline
from race.errors import NotSaved, RaceError
from race.plan import read
from race.plan.forecast import Plan
from race.run import race
from race.saved.model import Head
from race.saved.reader import RUN_FILE, load
from race.scenario import DEFAULT_SCENARIO, LEAST_SECONDS, Scenario
from race.terminal import board, tables
from race.terminal.plan_text import plan_text
from race.terminal.say import say, tell

REPORT_FILE = "report.html"
LISTS = {
    "contenders": "names, patterns or labels ('asyncpg, uvloop;psycopg'), in any case",
    "tasks": "names",
}
NUMBERS = ("rounds", "reruns", "duration", "connections")
CHANGED = {
    "contenders": "contenders",
    "tasks": "tasks",
    "rounds": "rounds",
    "reruns": "limits.reruns",
    "duration": "load.duration_s",
    "connections": "load.connections",
}
"""Option to the key of the scenario that it changes."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the scenario and the options that change it."""
    text = "a name from `race list`, or a TOML file; default %(default)s"
    parser.add_argument(
        "scenario", nargs="?", default=DEFAULT_SCENARIO, metavar="SCENARIO", help=text
    )
    for kind, forms in LISTS.items():
        words = [f"--{word}" for word in _own_words(kind)]
        split = labels if kind == "contenders" else names
        parser.add_argument(*words, dest=kind, type=split, metavar="A,B", help=forms)
    parser.add_argument("--rounds", type=int, metavar="N")
    parser.add_argument(
        "--reruns", type=int, metavar="N", help="repeat an invalid cell at most N times"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the random order")
    parser.add_argument(
        "--duration", type=seconds, metavar="TIME", help="length of a cell: 5s, 500ms"
    )
    parser.add_argument("--connections", type=int, metavar="N")
    text = "any key of the scenario, as in load.concurrency=1,10; may be given again"
    form = "KEY=VALUE"
    parser.add_argument("--set", type=setting, action="append", default=[], metavar=form, help=text)
    parser.add_argument(
        "--dry-run", action="store_true", help="show the plan and its duration, race nothing"
    )


def _own_words(kind: str) -> Iterator[str]:
    """Yield each discipline's word for its contenders or tasks, in the plural, then the core's."""
    for name in DISCIPLINES:
        one = discipline(name)
        yield (one.contender if kind == "contenders" else one.task) + "s"
    yield kind


def run(options: argparse.Namespace) -> int:
    """Run a race; return 1 if a cell failed."""
    with race.interruptible():
        plan = race.prepare(_changed(_scenario(options), options))
        console = Console(stderr=options.json)
        for note in plan.notes:
            tell(console, note)
        if options.dry_run:
            return _dry_run(plan, console, options)
        seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        head = race.new_head(plan, seed, _command(options, plan, seed), options.results)
        programs.remember(plan.scenario)
        return carry_out(options.results / head.race, head, plan, options.json)


def _scenario(options: argparse.Namespace) -> Scenario:
    """Return the scenario; a name after `--engines A` may have been meant as another engine."""
    try:
        return read.load(options.scenario)
    except RaceError as error:
        if options.contenders or options.tasks:
            raise RaceError(f"{error}; separate several names by commas, without spaces") from None
        raise


def carry_out(folder: Path, head: Head, plan: Plan, as_json: bool) -> int:
    """Run what is left of a race and show what it found; return the exit status."""
    console = Console(stderr=as_json)
    try:
        race.run(folder, head, plan, board.on(console))
    except KeyboardInterrupt:
        if not (folder / RUN_FILE).exists():
            raise
        _so_far(folder, plan, console, as_json)
        return INTERRUPTED
    except NotSaved as failure:
        raise _kept(folder, failure) from None
    found = analyse(load(folder))
    _summary(found, console, as_json)
    return FAILED if any(cell.status == "failed" for cell in found.race.cells) else 0


def _kept(folder: Path, failure: NotSaved) -> RaceError:
    """Return the error for results that could not be written, with how to go on."""
    if not (folder / RUN_FILE).exists():
        return failure
    return RaceError(
        f"{failure}; finished cells are kept: make room and go on with {again.resume(folder)}"
    )


def _so_far(folder: Path, plan: Plan, console: Console, as_json: bool) -> None:
    """Print what an interrupted race has found, where its report is, and how to go on."""
    found = analyse(load(folder))
    if found.comparisons:
        if not as_json:
            console.print(tables.matrix(found, plan.works))
        try:
            say(console, f"report so far: {_report(found)}")
        except RaceError as error:
            say(console, f"report so far: none, {error}")
    say(console, f"interrupted; {len(found.race.cells)} finished cells are kept: go on with")
    say(console, f"  {again.resume(folder)}")


def _summary(found: Analysis, console: Console, as_json: bool) -> None:
    """Print the ranking, and where the report is."""
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        for table in tables.everything(found):
            console.print(table)
        for text in found.remarks:
            tell(console, text)
    say(console, f"results: {found.race.folder}")
    say(console, f"report:  {_report(found)}")


def _report(found: Analysis) -> Path:
    """Write the report and return its path; raises RaceError if it cannot be written."""
    from race.report import html

    path = found.race.folder / REPORT_FILE
    try:
        html.write(found, path)
    except OSError as error:
        raise RaceError(f"cannot write {path}: {error.strerror}; all results are saved") from None
    return path


def _dry_run(plan: Plan, console: Console, options: argparse.Namespace) -> int:
    scenario = plan.scenario
    summary: dict[str, Any] = {
        "scenario": scenario.name,
        "contenders": [one.label for one in plan.contenders],
        "works": [{"task": one.task, "load": to_builtins(one.load)} for one in plan.works],
        "rounds": scenario.rounds,
        "cells": plan.cells,
        "seconds": round(plan.seconds()),
        "left_out": plan.notes,
    }
    if options.json:
        print(json.dumps(summary, indent=1))
        return 0
    for line in plan_text(plan):
        tell(console, line)
    return 0


def _changed(chosen: Scenario, options: argparse.Namespace) -> Scenario:
    """Return the scenario with the changes of the command line, and a title that says so."""
    given = {key: getattr(options, option) for option, key in CHANGED.items()}
    changes = {key: value for key, value in given.items() if value is not None}
    changes |= {key: value for key, value, _ in options.set}
    made = read.change(chosen, changes) if changes else chosen
    return read.change(made, {"title": _title(made)}) if changes.keys() & LISTS else made


def _title(scenario: Scenario) -> str:
    """Return who races on what, in a few words."""
    kind = discipline(scenario.discipline)
    who, where = _some(scenario.contenders, kind.contender), _some(scenario.tasks, kind.task)
    return f"{who} on {where}"


def _some(names: Sequence[str], kind: str) -> str:
    return ", ".join(names) if len(names) < 3 else f"{len(names)} {kind}s"


def _command(options: argparse.Namespace, plan: Plan, seed: int) -> Sequence[str]:
    """Return the command that repeats a race, with the seed of its order."""
    words = ["race", "run", options.scenario]
    own = {"contenders": plan.discipline.contender, "tasks": plan.discipline.task}
    for kind in LISTS:
        value = getattr(options, kind)
        words += [f"--{own[kind]}s", ",".join(value)] if value else []
    for name in NUMBERS:
        value = getattr(options, name)
        words += [f"--{name}", str(value)] if value is not None else []
    words += [word for *_, text in options.set for word in ("--set", text)]
    return [*words, "--seed", str(seed)]


def names(text: str) -> list[str]:
    """Return names that are separated by commas."""
    return _whole(text, read.listed(text))


def labels(text: str) -> list[str]:
    """Return names, patterns or labels; a comma before a space is part of a label."""
    return _whole(text, read.labels(text))


def _whole(text: str, found: list[str]) -> list[str]:
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name: names, separated by commas")
    return found


def setting(text: str) -> tuple[str, Any, str]:
    """Return a key, its value (of TOML, else a text), and both as written."""
    key, sign, value = (part.strip() for part in text.partition("="))
    if not (key and sign and value):
        raise argparse.ArgumentTypeError(f"{text!r} is no KEY=VALUE, such as load.connections=32")
    for written in (value, f"[{value}]"):
        with contextlib.suppress(tomllib.TOMLDecodeError):
            return key, tomllib.loads(f"value = {written}")["value"], text
    return key, value, text


def seconds(text: str) -> float:
    """The length of a cell, from `5`, `5s` or `500ms`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+) ?(ms|s|)", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time, such as 5, 5s or 500ms")
    value = float(match[1]) * (0.001 if match[2] == "ms" else 1.0)
    if value < LEAST_SECONDS:
        least = f"{LEAST_SECONDS:g} s, because a load generator needs time to start and stop"
        raise argparse.ArgumentTypeError(f"{text!r} is too short: a cell takes at least {least}")
    return value


COMMAND = Command("race the contenders of a scenario", arguments, run)
