"""`race capacity`: the highest rate that keeps a promise of latency and errors."""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import secrets
from functools import partial
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace

from race.capacity import record
from race.capacity.analysis import OPEN, capacities
from race.capacity.hunt import Hunt, seconds_needed
from race.capacity.record import FILE, CapacityRun, Promise, RateCell
from race.capacity.threshold import FEWEST_LIVES
from race.commands import INTERRUPTED, NO_RESULT, Command
from race.commands import run as races
from race.commands.options import as_words, changed, exact, percent, scenario_options, span
from race.commands.output import answer, forms
from race.console import Console
from race.discipline import discipline
from race.errors import Disturbed, RaceError
from race.machine import calm, cores
from race.plan import read
from race.plan.forecast import Plan
from race.report import format as words
from race.run import race
from race.run.quiet import QuietWait
from race.scenario import Scenario
from race.terminal import programs
from race.terminal.say import say, tell

SCENARIO = "race.toml"
WITHIN_S = 300.0
LEAST_CELL_S, MOST_CELL_S = 2.0, 20.0
PROMISES = 100
"""A cell is so many times as long as the promised latency, where the time allows that."""
LIVES = 7
"""The starts for which the length of a cell is planned."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the scenario, the promise and the time."""
    parser.epilog = (
        "Exit status: 0 when there is an answer for every contender, 3 when the time was too "
        "short for one, 2 for wrong use."
    )
    text = f"as of `race run`, or a folder that this command has saved; default {SCENARIO}"
    parser.add_argument("scenario", nargs="?", default=SCENARIO, metavar="SCENARIO", help=text)
    text = "99 of 100 requests take no longer; default 50ms"
    parser.add_argument("--p99", type=latency, default=50_000.0, metavar="50ms", help=text)
    text = "so many may fail; default 0.1%%"
    parser.add_argument("--errors", type=percent, default=0.001, metavar="0.1%", help=text)
    text = "the time for all searches; default 5m"
    parser.add_argument("--within", type=span, default=WITHIN_S, metavar="5m", help=text)
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the rates")
    forms(parser)
    scenario_options(parser)
    programs.option(parser)


def latency(text: str) -> float:
    """Return microseconds from `50ms`, `800us` or `1.5s`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(us|ms|s)", text.strip())
    value = float(match[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[match[2]] if match else 0.0
    if not 100 <= value <= 4e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no latency from 100us to 4s, such as 50ms")
    return value


def run(options: argparse.Namespace) -> int:
    """Search, save and show what was found, or show what was saved."""
    if (Path(options.scenario) / FILE).exists():
        return _answered(record.load(Path(options.scenario)), options)
    console = Console(stderr=True)
    with race.interruptible():
        plan = _planned(options)
        seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        begun = _begun(plan, seed, options)
        folder = options.results / begun.head.race
        try:
            _search(plan, folder, begun, console)
        except KeyboardInterrupt:
            if (folder / FILE).exists():
                say(console, f"interrupted; what was measured is kept: race capacity {folder}")
            return INTERRUPTED
        except Disturbed:
            tell(console, "Ended early: other programs or the host disturb this machine too much.")
    say(console, f"results: {folder}")
    return _answered(record.load(folder), options)


def _planned(options: argparse.Namespace) -> Plan:
    """Return the plan of the chosen tasks, else of the headline's. RaceError if nothing can drive
    at fixed rates here.
    """
    scenario = changed(_scenario(options), options)
    if not options.tasks:
        headline = discipline(scenario.discipline).headline(scenario)
        chosen = headline if headline in scenario.tasks else scenario.tasks[0]
        scenario = read.change(scenario, {"tasks": [chosen]})
    race.prepare(read.change(scenario, {"load.rates": [1.0]}))  # is there what drives at rates?
    plan = race.prepare(scenario)
    return dataclasses.replace(plan, contenders=[one for one in plan.contenders if not one.aa])


def _scenario(options: argparse.Namespace) -> Scenario:
    if options.scenario == SCENARIO and not Path(SCENARIO).exists():
        raise RaceError(f"there is no {SCENARIO}: `race init` writes one, or name a scenario")
    return races.scenario(options)


def _begun(plan: Plan, seed: int, options: argparse.Namespace) -> CapacityRun:
    """Return the record of a search. RaceError if there is too little time for it."""
    tasks = [one.task for one in plan.works]
    searches = len(plan.contenders) * len(tasks)
    least = seconds_needed(searches, options.duration or LEAST_CELL_S, FEWEST_LIVES)
    if options.within < least:
        raise RaceError(
            f"{options.within:g} s are too short: the search needs about "
            f"{math.ceil(least / 60)}m; give more time (--within), or choose fewer"
        )
    cells = seconds_needed(searches, 1.0, LIVES) - seconds_needed(searches, 0.0, LIVES)
    fitting = (options.within - seconds_needed(searches, 0.0, LIVES)) / cells
    cell_s = min(MOST_CELL_S, PROMISES * options.p99 / 1e6, fitting)
    cell_s = options.duration or round(max(LEAST_CELL_S, cell_s), 1)
    typed = ["race", "capacity", options.scenario, "--p99", f"{exact(options.p99)}us"]
    typed += [
        "--errors",
        f"{exact(100 * options.errors)}%",
        "--within",
        f"{exact(options.within)}s",
    ]
    typed += [*as_words(options, plan.scenario.discipline), "--seed", str(seed)]
    head = race.new_head(plan, seed, typed, options.results)
    return CapacityRun(
        head=replace(head, race=f"{head.race}-capacity"),
        promise=Promise(p99_us=options.p99, errors=options.errors),
        tasks=tasks,
        within_s=options.within,
        cell_s=cell_s,
    )


def _search(plan: Plan, folder: Path, begun: CapacityRun, console: Console) -> None:
    """Run all searches, and end all that was started for them."""
    from race.capacity.answer import promised

    programs.remember(plan.scenario)
    layout = race.layout_of(plan)
    quiet = QuietWait(plan.scenario.limits, partial(calm.burn, layout))
    tell(console, f"{promised(begun)}; cells of {begun.cell_s:g} s")
    with (
        plan.discipline.open(plan.scenario, plan.contenders) as start,
        cores.kept_off(layout),
    ):
        Hunt(plan, folder, begun, quiet, lambda cell: say(console, line(cell))).go(start)


def line(cell: RateCell) -> str:
    """Return a cell in one line."""
    where = f"{cell.label} {cell.task}, start {cell.life}, {cell.rate:,.0f}/s"
    if cell.excess is None:
        return f"{where}: does not count: {cell.reason}"
    verdict = "kept" if cell.excess < 1 else "broken"
    late = f"{words.percent(cell.late / cell.due)} late" if cell.due else cell.reason
    return f"{where}: p99 {words.milliseconds(cell.p99_us)}, {late}: {verdict}"


def _answered(found: CapacityRun, options: argparse.Namespace) -> int:
    from race.capacity import answer as report

    each = capacities(found)
    answer(
        options,
        lambda: {"promise": to_builtins(found.promise), "found": [one.as_json() for one in each]},
        lambda: report.markdown(found, each),
        lambda: report.show(found, each),
    )
    return NO_RESULT if any(one.outcome == OPEN for one in each) else 0


COMMAND = Command("the highest rate that keeps a promise", arguments, run)
