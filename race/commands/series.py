"""`race series`: one scenario several times, hours apart, as one result."""

from __future__ import annotations

import argparse
import secrets
import time
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from race.analysis.analyse import analyse
from race.analysis.merge import merge
from race.commands import INTERRUPTED, Command
from race.commands.options import as_words, changed, scenario_options, span
from race.commands.output import answer, forms, report, write
from race.commands.run import scenario
from race.console import Console
from race.errors import Disturbed, RaceError
from race.plan import read
from race.run import race, series
from race.run.series import SERIES_FILE, Asked, Series
from race.saved.reader import load
from race.scenario import Scenario
from race.terminal import again, board, programs
from race.terminal.phrases import moment, time_text
from race.terminal.say import say, tell
from runtime.arguments import whole_number

TIMES, MOST_TIMES = 6, 100
EVERY = 8 * 3600.0
LACKING = 3
REPORT_FILE = "series.md"
LOOK_SECONDS = 30.0
"""The seconds between two looks of a wait at the clock, because a machine may sleep meanwhile."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the scenario or folder, how often, and the options that change the scenario."""
    parser.epilog = (
        "The same command again goes on with what is missing, whatever ended it. Exit status: 0 "
        f"when all runs are there, {LACKING} when the machine disturbed too many of them."
    )
    text = "a scenario as for `run`, or the folder of a series that goes on"
    parser.add_argument("scenario", metavar="SCENARIO", help=text)
    number = whole_number("number of runs", 2, MOST_TIMES)
    parser.add_argument("--times", type=number, metavar="N", help=f"runs; default {TIMES}")
    text = "from start to start: 8h (the default), 90m; 0: one right after the other"
    parser.add_argument("--every", type=span, metavar="TIME", help=text)
    scenario_options(parser)
    programs.option(parser)
    forms(parser)


def run(options: argparse.Namespace) -> int:
    """Run what is missing, then print the merged result."""
    console = Console(stderr=options.json or options.markdown)
    with race.interruptible():
        folder, asked = _opened(options)
        every = asked.every_s if options.every is None else options.every
        series.write(folder, replace(asked, times=options.times or asked.times, every_s=every))
        try:
            with series.alone(folder):
                while not (found := series.read(folder)).over:
                    _next(found, options, console)
        except KeyboardInterrupt:
            say(console, "interrupted; all finished cells are kept: go on with")
            say(console, f"  {again.resume(folder, 'series')}")
            return INTERRUPTED
    return _result(found, options, console)


def _opened(options: argparse.Namespace) -> tuple[Path, Asked]:
    """Return the folder of the series that is meant, and what is asked of it."""
    for folder in (Path(options.scenario), options.results / options.scenario):
        if (folder / SERIES_FILE).exists():
            asked = series.read(folder).asked
            meant = read.from_json(asked.scenario)
            programs.permission(options)(meant)
            return folder, _same(folder, asked, changed(meant, options))
    meant = changed(scenario(options), options)
    if getattr(meant, "commits", ()):  # which all runs take from the first
        meant = race.prepare(meant).scenario
    programs.remember(meant)
    folder = options.results / f"series-{meant.name}"
    if (folder / SERIES_FILE).exists():
        return folder, _same(folder, series.read(folder).asked, meant)
    race.prepare(meant)  # refuses what cannot run here before there is a folder
    words = ["race", "run", options.scenario, *as_words(options, meant.discipline)]
    return folder, Asked(scenario=meant.as_json(), times=TIMES, every_s=EVERY, command=words)


def _same(folder: Path, asked: Asked, wanted: Scenario) -> Asked:
    if read.from_json(asked.scenario) != wanted:
        raise RaceError(
            f"{folder} is a series with other settings: move it away, or name another --results"
        )
    return asked


def _next(found: Series, options: argparse.Namespace, console: Console) -> None:
    """Finish the run that was interrupted, or wait for the next one and run it."""
    name = f"run {len(found.counted) + 1} of {found.asked.times}"
    if found.unfinished:
        folder = found.unfinished.folder
        head, plan = race.resumed(folder, programs.permission(options))
        say(console, f"{name} goes on: {folder}")
    else:
        _wait(found.due(datetime.now(UTC)), name, console)
        plan = race.prepare(read.from_json(found.asked.scenario))
        if found.runs:
            plan = race.alike(plan, found.runs[0].head)
        seed = secrets.randbelow(2**31)
        words = [*found.asked.command, "--seed", str(seed)]
        head = race.new_head(plan, seed, words, found.folder, found.connections)
        folder = found.folder / head.race
        say(console, f"{name}: {folder}")
    try:
        race.run(folder, head, plan, board.on(console))
    except Disturbed:  # each time it goes on, two rounds are done at least
        tell(console, f"Two rounds were lost to the machine: {name} goes on with the next ones.")
        return
    saved = load(folder)
    say(console, f"report:  {report(analyse(saved))}")
    if series.disturbed(saved):
        tell(console, f"Other programs disturbed it: it does not count, and {name} is repeated.")


def _wait(until: datetime, name: str, console: Console) -> None:
    """Wait until a time, which is shown."""
    left = (until - datetime.now(UTC)).total_seconds()
    if left > 0:
        when = f"{moment(until.isoformat())}, in {time_text(left)}"
        say(console, f"{name} begins at {when}; after Ctrl-C the same command goes on")
    while left > 0:
        time.sleep(min(left, LOOK_SECONDS))
        left = (until - datetime.now(UTC)).total_seconds()


def _result(found: Series, options: argparse.Namespace, console: Console) -> int:
    """Print the result of the runs that count, and save it in the folder."""
    from race.report import merged

    counted, times = found.counted, found.asked.times
    if len(counted) < times:
        spoiled = len(found.runs) - len(counted)
        tell(console, f"{len(counted)} of {times} runs count, because {spoiled} were disturbed.")
    if len(counted) > 1:
        result = merge(counted)
        write(found.folder / REPORT_FILE, merged.markdown(result), follow=False)
        answer(
            options, result.as_json, lambda: merged.markdown(result), lambda: merged.show(result)
        )
        say(console, f"report:  {found.folder / REPORT_FILE}")
    return 0 if len(counted) >= times else LACKING


COMMAND = Command("one scenario several times, hours apart, as one result", arguments, run)
