"""`race gate`: whether a commit made an application slower, for CI."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import secrets
from pathlib import Path

from race.analysis.analyse import analyse
from race.app.commits import command as commits
from race.app.commits.command import FILE
from race.app.gate.judge import Gate, Outcome, gate, rounds_needed
from race.commands import Command
from race.commands.options import changed, percent, scenario_options, span
from race.commands.output import report, write
from race.commands.run import scenario
from race.console import Console
from race.errors import Disturbed, RaceError
from race.plan import read
from race.plan.forecast import Plan
from race.run import race
from race.saved.reader import load
from race.terminal import board
from race.terminal.say import tell

STATUS = {Outcome.CLEAR: 0, Outcome.SLOWER: 1, Outcome.FAILS: 1, Outcome.OPEN: 3}
WITHIN_S, MOST_ROUNDS = 600.0, 60
RESERVE = 0.8
"""The share of the time that rounds are planned for: starts, builds and repeated cells take more
on a busy machine than is foreseen."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the revisions, the limit and the time."""
    parser.epilog = (
        "Exit status: 0 when no request is slower by so much and that would have been seen, 1 when "
        "one is slower or fails, 3 when this machine cannot tell within the time, 2 for wrong use "
        "and wrong answers. Of equal commits at most 5 % end with 1, over all requests together."
    )
    parser.add_argument("revisions", nargs="*", metavar="REVISION", help="as of `race commits`")
    parser.add_argument("--file", default=FILE, metavar="FILE", help="default %(default)s")
    text = "the slowdown that must not be; default 5%%"
    parser.add_argument("--slower", type=percent, default=percent("5%"), metavar="5%", help=text)
    text = "the time for the race; default 10m"
    parser.add_argument("--within", type=span, default=WITHIN_S, metavar="10m", help=text)
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the random order")
    for form in ("markdown", "junit"):
        parser.add_argument(f"--{form}", type=Path, metavar="FILE", help=f"write {form} there")
    scenario_options(parser)


def run(options: argparse.Namespace) -> int:
    """Race the two commits for a number of rounds that is fixed before, and judge once."""
    with race.interruptible():
        plan = planned(options)
        seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        words = ["race", "gate", *options.revisions, "--file", options.file, "--seed", str(seed)]
        head = race.new_head(plan, seed, words, options.results)
        console, folder = Console(stderr=True), options.results / head.race
        tell(console, f"{plan.scenario.rounds} rounds")
        with contextlib.suppress(Disturbed):
            race.run(folder, head, plan, board.on(console))
        analysis = analyse(load(folder))
        old, new = (one.label for one in plan.contenders if not one.aa)
        found = gate(analysis, old, new, options.slower)
        tell(console, f"report: {report(analysis)}")
    return answered(found, options)


def planned(options: argparse.Namespace) -> Plan:
    """Return the plan with as many rounds as fit the time. RaceError if those are too few."""
    commits.complete(options)
    plan = race.prepare(changed(scenario(options), options))
    labels = [one.label for one in plan.contenders if not one.aa]
    if len(labels) != 2:
        raise RaceError(f"a gate has two contenders, and here are {len(labels)}: choose --servers")
    fitting = _fitting(plan, options.within * RESERVE)
    least = rounds_needed(len(plan.works))
    if fitting < least:
        raise RaceError(
            f"{options.within:g} s are too short: {len(plan.works)} requests need {least} rounds, "
            f"and {fitting} fit; ask for fewer (--requests) or give more time (--within)"
        )
    rounds = options.rounds or min(fitting, MOST_ROUNDS)
    return race.prepare(read.change(plan.scenario, {"rounds": rounds}))


def _fitting(plan: Plan, seconds: float) -> int:
    """Return how many rounds fit into a time."""
    more = max(1, plan.scenario.restart)
    first, later = (
        race.prepare(read.change(plan.scenario, {"rounds": rounds})).seconds()
        for rounds in (1, 1 + more)
    )
    return max(0, 1 + math.floor((seconds - first) / ((later - first) / more)))


def answered(found: Gate, options: argparse.Namespace) -> int:
    """Print and write the answer; return the exit status."""
    from race.app.gate import answer as answers

    for path, form in ((options.markdown, answers.markdown), (options.junit, answers.junit)):
        if path:
            write(path, form(found))
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        answers.show(found)
    return STATUS[found.outcome]


COMMAND = Command("whether a commit made an application slower", arguments, run)
