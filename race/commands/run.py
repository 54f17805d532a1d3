"""`race run`: plan a race, run it, show what it found."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.commands import AFTER, FAILED, INTERRUPTED, NO_RESULT, Command
from race.commands.find import SAVED_RACE, find
from race.commands.options import as_words, changed, scenario_options
from race.commands.output import report
from race.console import Console
from race.errors import Disturbed, NotSaved, RaceError
from race.plan import adhoc, read
from race.plan.forecast import Plan
from race.run import race
from race.run.learned import calibrated
from race.saved.head import Head
from race.saved.reader import RUN_FILE, load
from race.scenario import DEFAULT_SCENARIO, Scenario
from race.terminal import again, board, programs, tables
from race.terminal.plan_text import plan_text
from race.terminal.say import say, tell


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the scenario and the options that change it."""
    text = "a name from `race list`, or a TOML file; default %(default)s"
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "scenario", nargs="?", default=DEFAULT_SCENARIO, metavar="SCENARIO", help=text
    )
    text = "race this command against others, with {port} where its port goes; may be given again"
    what.add_argument("--program", action="append", metavar="COMMAND", help=text)
    text = f"take everything from a saved race, its connections too: {SAVED_RACE}"
    what.add_argument("--like", metavar="RUN", help=text)
    text = "with --program: the path of a page to ask for (default /); may be given again"
    parser.add_argument("--path", action="append", metavar="PATH", help=text)
    scenario_options(parser)
    programs.option(parser)
    text = "then say which functions or system calls make the difference, as `race why` does"
    parser.add_argument("--why", action="store_true", help=text)
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the random order")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the plan and its duration, race nothing"
    )


def run(options: argparse.Namespace, typed: Sequence[str] = ()) -> int:
    """Run a race; return 1 if a cell failed, 3 if the machine disturbed it too much.

    `typed` are the words of another command that begins it, without `race` and the seed.
    """
    with race.interruptible():
        plan, connections = _like(options) if options.like else (_plan(options), {})
        console = Console(stderr=options.json)
        for note in plan.notes:
            tell(console, note)
        if options.dry_run:
            return _dry_run(plan, console, options)
        seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        words = list(typed) or [*_what(options), *as_words(options, plan.scenario.discipline)]
        words = ["race", *words, "--seed", str(seed)]
        head = race.new_head(plan, seed, words, options.results, connections)
        programs.remember(plan.scenario)
        folder = options.results / head.race
        status = carry_out(folder, head, plan, options.json)
        if getattr(options, "why", False) and status in (0, FAILED):
            AFTER.load()(folder, options.json)
        return status


def _what(options: argparse.Namespace) -> list[str]:
    """Return the command with what is raced, as it is typed."""
    if options.like:
        return ["run", "--like", options.like]
    if not options.program:
        return ["run", str(options.scenario)]
    programs = [word for one in options.program for word in ("--program", one)]
    return ["run", *programs, *(word for path in options.path or () for word in ("--path", path))]


def _plan(options: argparse.Namespace) -> Plan:
    if options.program:
        data = adhoc.scenario(options.program, options.path)
        return race.prepare(changed(read.from_file(Path("programs"), data), options))
    if options.path:
        raise RaceError("--path goes with --program, the command of a server")
    return race.prepare(changed(scenario(options), options))


def _like(options: argparse.Namespace) -> tuple[Plan, Mapping[str, int]]:
    """Return the plan of a saved race, and the connections that it used."""
    if options.connections:
        raise RaceError("--like takes the connections of RUN: leave out --connections")
    saved = load(find(options.results, options.like))
    found = read.from_json(saved.head.scenario)
    programs.permission(options)(found)
    plan = race.prepare(changed(found, options))
    return plan if options.contenders else race.alike(plan, saved.head), calibrated(saved.cells)


def scenario(options: argparse.Namespace) -> Scenario:
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
    except Disturbed:
        return _ended_early(folder, console, as_json)
    except NotSaved as failure:
        raise _kept(folder, failure) from None
    found = analyse(load(folder))
    _summary(found, console, as_json)
    if found.trust.no_result:
        return NO_RESULT
    return FAILED if any(cell.status == "failed" for cell in found.race.cells) else 0


def _kept(folder: Path, failure: NotSaved) -> RaceError:
    """Return the error for results that could not be written, with how to go on."""
    if not (folder / RUN_FILE).exists():
        return failure
    return RaceError(
        f"{failure}; finished cells are kept: make room and go on with {again.resume(folder)}"
    )


def _ended_early(folder: Path, console: Console, as_json: bool) -> int:
    """Print what a race has found that other programs or the host disturbed, and how to go on."""
    found = analyse(load(folder))
    _summary(found, console, as_json)
    if not found.trust.no_result:
        tell(console, "Ended early: two rounds were disturbed. The rounds before them count.")
    say(console, f"go on with: {again.resume(folder)}")
    return NO_RESULT


def _so_far(folder: Path, plan: Plan, console: Console, as_json: bool) -> None:
    """Print what an interrupted race has found, where its report is, and how to go on."""
    found = analyse(load(folder))
    if found.comparisons:
        if not as_json:
            console.print(tables.matrix(found, plan.works))
        try:
            say(console, f"report so far: {report(found)}")
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
    say(console, f"report:  {report(found)}")


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


COMMAND = Command("race the contenders of a scenario", arguments, run)
